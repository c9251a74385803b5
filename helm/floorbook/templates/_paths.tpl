{{/* The ways out of a pod, as rules of a NetworkPolicy. */}}

{{- define "floorbook.toDns" -}}
- ports: [{port: 53, protocol: UDP}, {port: 53, protocol: TCP}]
{{- end }}

{{- define "floorbook.toKafka" -}}
- ports:
    {{- if eq .Values.kafka.mode "strimzi" }}
    - {port: 9093}
    {{- else if .Values.networkPolicy.kafkaPorts }}
    {{- range .Values.networkPolicy.kafkaPorts }}
    - {port: {{ . }}}
    {{- end }}
    {{- else }}
    {{- $ports := list }}
    {{- range splitList "," .Values.kafka.bootstrapServers }}{{ $ports = append $ports (regexFind "[0-9]+$" (trim .)) }}{{ end }}
    {{- range $ports | uniq }}
    - {port: {{ . }}}
    {{- end }}
    {{- end }}
  {{- if eq .Values.kafka.mode "strimzi" }}
  to:
    - podSelector:
        matchLabels:
          strimzi.io/cluster: {{ include "floorbook.name" . }}
          strimzi.io/kind: Kafka
  {{- else if .Values.networkPolicy.kafkaPeers }}
  to:
    {{- toYaml .Values.networkPolicy.kafkaPeers | nindent 4 }}
  {{- end }}
{{- end }}

{{- define "floorbook.toDatabase" -}}
- ports: [{port: {{ .Values.database.port }}}]
  {{- with .Values.networkPolicy.databasePeers }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
