{{/* What objects are called, how they are labelled, and what is refused because the schema cannot say it. */}}

{{- define "floorbook.name" -}}
{{- if contains "floorbook" .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-floorbook{{ end }}
{{- end }}

{{- define "floorbook.labels" -}}
app.kubernetes.io/name: floorbook
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .service }}
app.kubernetes.io/component: {{ . }}
{{- end }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "floorbook.selector" -}}
app.kubernetes.io/name: floorbook
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .service }}
{{- end }}

{{- define "floorbook.image" -}}
{{- $image := .Values.image -}}
{{ $image.repository }}{{ if $image.digest }}@{{ $image.digest }}{{ else }}:{{ $image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "floorbook.kafka" -}}
{{- if eq .Values.kafka.mode "strimzi" -}}
{{ include "floorbook.name" . }}-kafka-bootstrap:9093
{{- else -}}
{{ .Values.kafka.bootstrapServers }}
{{- end -}}
{{- end }}

{{- define "floorbook.kafkaUser" -}}
{{- /* Who rebuilds reads as operators do. */}}
{{- $user := ternary "operators" .service (eq .service "rebuild") -}}
{{- if eq .root.Values.kafka.mode "strimzi" -}}
{{ include "floorbook.name" .root }}-{{ $user }}
{{- else -}}
{{ get .root.Values.kafka.users $user }}
{{- end -}}
{{- end }}

{{- /* All that run, by commas. */}}
{{- define "floorbook.services" -}}
gateway,table,evaluator,ledger,metrics{{ if .Values.rebuild.enabled }},rebuild{{ end }}
{{- end }}

{{- define "floorbook.kafkaCaSecret" -}}
{{- if eq .Values.kafka.mode "strimzi" -}}
{{ include "floorbook.name" . }}-cluster-ca-cert
{{- else -}}
{{ .Values.kafka.caSecret.name }}
{{- end -}}
{{- end }}

{{- define "floorbook.refuse" -}}
{{- $partitions := int .Values.kafka.partitions -}}
{{- range $service := list "table" "ledger" "metrics" -}}
{{- $replicas := int (get $.Values $service).replicas -}}
{{- if gt $replicas $partitions -}}
{{- fail (printf "%s.replicas is %d and kafka.partitions %d: a further one would have nothing to do" $service $replicas $partitions) -}}
{{- end -}}
{{- end -}}
{{- if and (eq .Values.kafka.mode "strimzi") (gt (int .Values.kafka.replication) (int .Values.strimzi.nodes)) -}}
{{- fail (printf "kafka.replication is %d and strimzi.nodes %d: each copy needs a broker of its own" (int .Values.kafka.replication) (int .Values.strimzi.nodes)) -}}
{{- end -}}
{{- if eq .Values.kafka.mode "strimzi" -}}
{{- range (.Files.Get "topics.yaml" | fromYaml).topics -}}
{{- $there := lookup "kafka.strimzi.io/v1" "KafkaTopic" $.Release.Namespace .name -}}
{{- /* The operator would add partitions to a log that is in use, and tables would move away from their events. */ -}}
{{- if and $there (ne (int $there.spec.partitions) $partitions) -}}
{{- fail (printf "%s has %d partitions and not %d: partition counts never change" .name (int $there.spec.partitions) $partitions) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $scaling := .Values.evaluator.autoscaling -}}
{{- if gt (int $scaling.minReplicas) (int $scaling.maxReplicas) -}}
{{- fail "evaluator.autoscaling.minReplicas is above maxReplicas" -}}
{{- end -}}
{{- end }}
