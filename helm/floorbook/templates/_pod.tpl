{{/* What every service's pod is: one container of the one image, which may do nothing but its work. */}}

{{- define "floorbook.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "floorbook.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{- define "floorbook.settings" -}}
{{- $values := .root.Values -}}
FLOORBOOK_PROBES_LISTEN: 0.0.0.0:9100
FLOORBOOK_LOG_FORMAT: json
FLOORBOOK_LOG_LEVEL: {{ $values.logLevel }}
{{- if ne .service "evaluator" }}
FLOORBOOK_KAFKA: {{ include "floorbook.kafka" .root | quote }}
{{- with include "floorbook.kafkaUser" . }}
FLOORBOOK_KAFKA_USER: {{ . | quote }}
{{- end }}
{{- if include "floorbook.kafkaCaSecret" .root }}
FLOORBOOK_KAFKA_CA: /etc/floorbook/kafka/ca.crt
{{- end }}
{{- end }}
{{- if has .service (list "gateway" "table" "ledger" "metrics") }}
FLOORBOOK_QUARANTINE_LIMIT_PER_MINUTE: {{ $values.quarantineLimitPerMinute | int64 | quote }}
{{- end }}
{{- if and $values.traces.to (has .service (list "gateway" "table" "evaluator" "ledger")) }}
FLOORBOOK_TRACES: {{ $values.traces.to | quote }}
FLOORBOOK_TRACES_RATIO: {{ $values.traces.ratio | quote }}
{{- end }}
{{- if has .service (list "table" "ledger" "metrics") }}
FLOORBOOK_SESSION_TIMEOUT_SECONDS: {{ $values.sessionTimeoutSeconds | quote }}
{{- end }}
{{- if eq .service "gateway" }}
FLOORBOOK_REGISTRY: /etc/floorbook/registry/registry.json
FLOORBOOK_GATEWAY_LISTEN: 0.0.0.0:7001
FLOORBOOK_DEVICE_LISTEN: 0.0.0.0:7002
# gateway.encryptedBy says what encrypts.
FLOORBOOK_LISTEN_WITHOUT_TLS: anywhere
FLOORBOOK_SUBMIT_DEADLINE_SECONDS: {{ $values.gateway.submitDeadlineSeconds | quote }}
{{- else if eq .service "table" }}
FLOORBOOK_EVALUATOR: {{ include "floorbook.name" .root }}-evaluator.{{ .root.Release.Namespace }}.svc:7003
FLOORBOOK_EVALUATE_DEADLINE_SECONDS: {{ $values.table.evaluateDeadlineSeconds | quote }}
FLOORBOOK_REQUEST_BYTES: {{ $values.table.requestBytes | int64 | quote }}
FLOORBOOK_DATADIR: /var/lib/floorbook
{{- else if eq .service "evaluator" }}
FLOORBOOK_EVALUATOR_LISTEN: 0.0.0.0:7003
{{- end }}
{{- end }}

{{- define "floorbook.probe" -}}
httpGet: {path: {{ .path }}, port: probes}
periodSeconds: {{ .every }}
timeoutSeconds: 3
failureThreshold: {{ .failures }}
{{- end }}

{{- define "floorbook.pod" -}}
{{- $service := .service -}}
{{- $own := get .root.Values $service -}}
{{- $name := include "floorbook.name" .root -}}
{{- $isReader := ne $service "evaluator" -}}
{{- $user := ternary (include "floorbook.kafkaUser" .) "" $isReader -}}
{{- $ca := ternary (include "floorbook.kafkaCaSecret" .root) "" $isReader -}}
metadata:
  labels:
    {{- include "floorbook.labels" . | nindent 4 }}
  annotations:
    # Other settings are another pod.
    checksum/settings: {{ include "floorbook.settings" . | sha256sum }}
spec:
  serviceAccountName: {{ $name }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: 15
  securityContext:
    {{- include "floorbook.podSecurity" . | nindent 4 }}
  {{- with .root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  {{- with .root.Values.scheduling.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.scheduling.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .root.Values.scheduling.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  topologySpreadConstraints:
    {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "floorbook.selector" $ | nindent 10 }}
    {{- end }}
  containers:
    - name: {{ $service }}
      image: {{ include "floorbook.image" .root }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      command: [floorbook]
      {{- if eq $service "ledger" }}
      args: [ledger, serve]
      {{- else if eq $service "rebuild" }}
      args: [rebuild, --quiet, --every, {{ $own.everySeconds | int | quote }}]
      {{- else }}
      args: [{{ $service }}]
      {{- end }}
      securityContext:
        {{- include "floorbook.containerSecurity" . | nindent 8 }}
      envFrom:
        - configMapRef: {name: {{ $name }}-{{ $service }}}
      {{- $hasSlot := has $service (list "gateway" "table" "ledger" "metrics") }}
      {{- if or $hasSlot $user }}
      env:
        {{- if $hasSlot }}
        # The ordinal: a lasting name in the consumer group, so that a new pod takes its predecessor's partitions and no others move.
        - name: FLOORBOOK_SLOT
          valueFrom: {fieldRef: {fieldPath: "metadata.labels['apps.kubernetes.io/pod-index']"}}
        {{- end }}
        {{- if $user }}
        - name: FLOORBOOK_KAFKA_PASSWORD
          valueFrom: {secretKeyRef: {name: {{ $user }}, key: password}}
        {{- end }}
        {{- if eq $service "ledger" }}
        - name: FLOORBOOK_DATABASE
          valueFrom: {secretKeyRef: {name: {{ .root.Values.database.secretName }}, key: {{ .root.Values.database.secretKey }}}}
        {{- end }}
      {{- end }}
      ports:
        {{- if eq $service "gateway" }}
        - {name: grpc, containerPort: 7001}
        - {name: devices, containerPort: 7002}
        {{- else if eq $service "evaluator" }}
        - {name: grpc, containerPort: 7003}
        {{- end }}
        - {name: probes, containerPort: 9100}
      # A loop that stands still is cured by a restart; what is missing outside is not, and only makes the pod not ready.
      startupProbe:
        {{- include "floorbook.probe" (dict "path" "/healthz" "every" 2 "failures" (div (add (int (get $own "startupSeconds" | default 60)) 1) 2)) | nindent 8 }}
      livenessProbe:
        {{- include "floorbook.probe" (dict "path" "/healthz" "every" 10 "failures" 3) | nindent 8 }}
      readinessProbe:
        {{- include "floorbook.probe" (dict "path" "/readyz" "every" 2 "failures" 2) | nindent 8 }}
      resources:
        {{- toYaml $own.resources | nindent 8 }}
      {{- if or $ca (has $service (list "gateway" "table")) }}
      volumeMounts:
        {{- if $ca }}
        - {name: kafka-ca, mountPath: /etc/floorbook/kafka, readOnly: true}
        {{- end }}
        {{- if eq $service "gateway" }}
        - {name: registry, mountPath: /etc/floorbook/registry, readOnly: true}
        {{- else if eq $service "table" }}
        - {name: data, mountPath: /var/lib/floorbook}
        {{- end }}
      {{- end }}
  {{- if or $ca (has $service (list "gateway" "table")) }}
  volumes:
    {{- if $ca }}
    - name: kafka-ca
      secret:
        secretName: {{ $ca }}
        items: [{key: {{ ternary "ca.crt" .root.Values.kafka.caSecret.key (eq .root.Values.kafka.mode "strimzi") }}, path: ca.crt}]
    {{- end }}
    {{- if eq $service "gateway" }}
    - name: registry
      secret:
        secretName: {{ $own.registry.secretName }}
        items: [{key: {{ $own.registry.key }}, path: registry.json}]
    {{- else if eq $service "table" }}
    - name: data
      emptyDir: {sizeLimit: 64Mi}
    {{- end }}
  {{- end }}
{{- end }}
