{{- define "nereid.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "nereid.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "nereid.labels" -}}
{{ include "nereid.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "nereid.image" -}}
{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.image.tag }}
{{- end -}}

{{- define "nereid.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{ default (include "nereid.fullname" .) .Values.serviceAccount.name }}
{{- else -}}
{{ default "default" .Values.serviceAccount.name }}
{{- end -}}
{{- end -}}

{{/* Where the models are: pvc, image or s3. */}}
{{- define "nereid.source" -}}
{{- $models := .Values.models -}}
{{- $sources := list -}}
{{- if $models.pvc.claimName }}{{ $sources = append $sources "pvc" }}{{ end -}}
{{- if $models.image.reference }}{{ $sources = append $sources "image" }}{{ end -}}
{{- if $models.s3.location }}{{ $sources = append $sources "s3" }}{{ end -}}
{{- if ne (len $sources) 1 -}}
{{- fail (printf "models: one of pvc.claimName, image.reference and s3.location must be set, got %d" (len $sources)) -}}
{{- end -}}
{{- first $sources -}}
{{- end -}}

{{- define "nereid.probe" -}}
httpGet:
  path: {{ .path }}
  port: http
  scheme: {{ .scheme }}
{{- end -}}

{{/* How fast servers come and go, of the HPA and of the one that KEDA makes. */}}
{{- define "nereid.scaling" -}}
scaleUp:
  stabilizationWindowSeconds: 0
  policies:
    - type: Percent
      value: 100
      periodSeconds: 15
scaleDown:
  stabilizationWindowSeconds: {{ .Values.autoscaling.scaleDownSeconds }}
{{- end }}
