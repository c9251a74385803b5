# shellcheck shell=bash
chart=helm/floorbook
kubernetes=1.37.0
namespace=casino

# shellcheck source=/dev/null
. deploy/cluster/control-plane.sh

rendered() {
    helm template floor "$chart" --namespace "$namespace" --kube-version "$kubernetes" --values "$chart/tests/values/$1.yaml"
}

# Refused or warned of: both are failures. Warnings are how Pod Security speaks of a workload whose pods it would refuse.
takes() {
    local said
    said=$(kubectl apply --namespace "$namespace" --server-side --dry-run=server --validate=strict --filename - 2>&1) || { echo "$said"; return 1; }
    if [[ $said == *Warning* ]]; then
        echo "$said"
        return 1
    fi
}

takes_values() { rendered "$1" | takes; }

# refuses VALUES CHANGE WORDS: with that change the API server must say these words.
refuses() {
    local said
    rendered "$1" >"$folder/proper.yaml"
    sed "$2" "$folder/proper.yaml" >"$folder/fault.yaml"
    ! cmp -s "$folder/proper.yaml" "$folder/fault.yaml" || { echo "nothing to change by $2"; return 1; }
    if said=$(takes <"$folder/fault.yaml"); then
        echo "$2 was taken"
        return 1
    fi
    [[ $said == *"$3"* ]] || { echo "refused, but not by a word of $3: $said"; return 1; }
}

# Every object of the release but Helm's own records: kind, name, generation, resource version.
objects() {
    kubectl get --namespace "$namespace" --selector app.kubernetes.io/instance=floor --output \
        'jsonpath={range .items[*]}{.kind} {.metadata.name} {.metadata.generation} {.metadata.resourceVersion}{"\n"}{end}' \
        serviceaccounts,configmaps,services,statefulsets,deployments,hpa,poddisruptionbudgets,networkpolicies,servicemonitors,prometheusrules,kafkas,kafkanodepools,kafkatopics,kafkausers
}

# What the objects ask for, without what the server adds at each change.
asked() {
    kubectl get --namespace "$namespace" --selector app.kubernetes.io/instance=floor --output json \
        configmaps,services,statefulsets,deployments,hpa,poddisruptionbudgets,networkpolicies,servicemonitors,prometheusrules |
        python3 -c 'import json, sys
for each in json.load(sys.stdin)["items"]:
    print(each["kind"], each["metadata"]["name"], json.dumps([each.get("spec"), each.get("data")], sort_keys=True))'
}

# Jobs are taken as objects above; there is nobody here who would run them.
helm_does() {
    local act=$1
    shift
    helm "$act" floor "$chart" --namespace "$namespace" --no-hooks --values "$chart/tests/values/full.yaml" "$@"
}

installs() { helm_does install && [ "$(objects | wc -l)" -gt 30 ]; }

same_again_changes_nothing() {
    objects >"$folder/first" && asked >"$folder/asked-first" || return 1
    for _ in 1 2; do
        helm_does upgrade || return 1
        objects | diff "$folder/first" - || return 1
    done
}

one_setting_changes_one_service() {
    local changed
    helm_does upgrade --set table.evaluateDeadlineSeconds=3 || return 1
    changed=$(objects | diff "$folder/first" - | sed -n 's/^> \([^ ]* [^ ]*\).*/\1/p' | sort | tr '\n' ';')
    [ "$changed" = 'ConfigMap floor-floorbook-table;StatefulSet floor-floorbook-table;' ] || { echo "changed: $changed"; return 1; }
}

rolls_back() {
    helm rollback floor 1 --namespace "$namespace" --no-hooks && asked | diff "$folder/asked-first" -
}

uninstalls() {
    helm uninstall floor --namespace "$namespace" --no-hooks || return 1
    [ -z "$(objects)" ] || { objects; return 1; }
}

# Who uninstalls keeps the log.
uninstall_keeps_kafka() {
    helm install floor "$chart" --namespace "$namespace" --no-hooks --values "$chart/tests/values/strimzi.yaml" || return 1
    helm uninstall floor --namespace "$namespace" --no-hooks || return 1
    [ "$(objects | cut -d' ' -f1 | sort | uniq -c | xargs)" = '1 Kafka 1 KafkaNodePool 6 KafkaTopic' ] || { objects; return 1; }
}

api_server_rung() {
    folder=$(mktemp -d)
    local began=$SECONDS
    trap control_plane_stop EXIT
    # There is no controller that would make the accounts' tokens.
    check 'API server' control_plane_start "$folder" --disable-admission-plugins=ServiceAccount
    export KUBECONFIG=$folder/kubeconfig
    check 'custom kinds' kubectl apply --server-side --filename "$kinds/crds"
    check 'custom kinds are served' kubectl wait --for condition=Established --timeout 30s crd --all
    kubectl create namespace "$namespace" >/dev/null
    check 'a namespace that takes restricted pods alone' kubectl label namespace "$namespace" \
        pod-security.kubernetes.io/enforce=restricted pod-security.kubernetes.io/warn=restricted
    for values in minimal external strimzi full; do
        check "taken: $values" takes_values "$values"
    done
    check 'refused: a port that is none' refuses minimal 's/containerPort: 7001/containerPort: 99999/' 99999
    check 'refused: an unknown field' refuses minimal 's/^  replicas:/  replica:/' 'not declared in schema'
    check 'refused: a pod with more rights' refuses minimal 's/allowPrivilegeEscalation: false/allowPrivilegeEscalation: true/' allowPrivilegeEscalation
    check 'refused: a pod as root' refuses minimal 's/runAsNonRoot: true/runAsNonRoot: false/' runAsNonRoot
    check 'refused: a topic without partitions' refuses strimzi 's/^  partitions: 12/  partitions: 0/' 'greater than or equal to 1'
    check "refused: a right that is none" refuses strimzi 's/\["Write",/["Wrote",/' 'Unsupported value'
    check 'refused: a kind that nobody serves' refuses full 's/^kind: ServiceMonitor/kind: ServiceMonitors/' ServiceMonitors
    check 'installed' installs
    check 'upgraded twice with the same: no object is touched' same_again_changes_nothing
    check 'upgraded with one setting: one service is' one_setting_changes_one_service
    check 'rolled back: all as before' rolls_back
    check 'uninstalled: nothing is left' uninstalls
    check 'uninstalled with Strimzi: Kafka and topics are left' uninstall_keeps_kafka
    control_plane_stop
    trap - EXIT
    rm -rf "$folder"
    echo "        $((SECONDS - began)) s"
}

if ! tools=$(deploy/tools/build helm etcd kube-apiserver kubectl) || ! kinds=$(deploy/tools/crds); then
    failed=$((failed + 1))
    echo 'FAILED  tools: see above'
elif needs openssl 'apt-get install openssl'; then
    PATH=$tools:$PATH
    api_server_rung
fi
