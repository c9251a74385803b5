# shellcheck shell=bash
# shellcheck disable=SC2154 # kafka and local_kafka are said in node.sh
chart=helm/floorbook
kubernetes=1.37.0
namespace=casino

# shellcheck source=/dev/null
. deploy/cluster/node.sh
# shellcheck source=/dev/null
. deploy/cluster/image.sh

# A small cluster: two of each that may be two, on one node of few cores.
cluster_values() {
    cat <<V
image: {repository: localhost/floorbook, tag: a, pullPolicy: Never}
kafka:
  bootstrapServers: "$kafka"
  partitions: 4
  replication: 1
  users: {gateway: floor-floorbook-gateway, table: floor-floorbook-table, ledger: floor-floorbook-ledger, metrics: floor-floorbook-metrics, topics: floor-floorbook-topics, operators: floor-floorbook-operators}
database: {secretName: ledger-database, ownerSecretName: ledger-owner}
quarantineLimitPerMinute: 100
gateway: {replicas: 2, encryptedBy: network, registry: {secretName: floor-registry}, resources: &small {requests: {cpu: 20m, memory: 64Mi}}}
table: {replicas: 2, resources: *small}
evaluator: {replicas: 2, resources: *small}
ledger: {replicas: 2, resources: *small}
metrics: {resources: *small}
rebuild: {everySeconds: 60, resources: *small}
V
}

# The simulated floor is a pod like any other client: it finds the gateways by DNS and reaches them through their Service.
floor_pod() {
    cat <<V
apiVersion: batch/v1
kind: Job
metadata: {name: simulated-floor}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      automountServiceAccountToken: false
      terminationGracePeriodSeconds: 120
      securityContext: {runAsNonRoot: true, runAsUser: 10001, runAsGroup: 10001, fsGroup: 10001, seccompProfile: {type: RuntimeDefault}}
      initContainers:
        # Whoever plays notes in the folder that it has.
        - name: folder
          image: localhost/floorbook:b
          imagePullPolicy: Never
          command: [cp, /furnished/casino.json, /casino/]
          securityContext: &restricted {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
          volumeMounts: [{name: furnished, mountPath: /furnished, readOnly: true}, {name: casino, mountPath: /casino}]
      containers:
        - name: floor
          image: localhost/floorbook:b
          imagePullPolicy: Never
          command: [floorbook, simulate, play, /casino, --rounds, "100000", --gateway, "floor-floorbook-gateway:7001", --devices, "floor-floorbook-gateway:7002"]
          env:
            - {name: FLOORBOOK_KAFKA, value: "$local_kafka"}
            - {name: FLOORBOOK_DATABASE, value: "host=$CLUSTER_HOST user=owner dbname=postgres"}
          securityContext: *restricted
          volumeMounts: [{name: casino, mountPath: /casino}]
      volumes: [{name: furnished, secret: {secretName: casino}}, {name: casino, emptyDir: {}}]
V
}

in_casino() { cluster --namespace "$namespace" "$@"; }

# On this broker each user may do what the chart says that it needs, and nothing else.
rights_given() {
    helm template floor "$chart" --namespace "$namespace" --kube-version "$kubernetes" --values "$chart/tests/values/strimzi.yaml" |
        "${in_cluster[@]}" .venv/bin/python deploy/cluster/rights.py "$local_kafka"
}

casino_furnished() {
    local user
    .venv/bin/floorbook simulate furnish "$folder/casino" --tables 3 --rule-set all || return 1
    cluster create namespace "$namespace" &&
        cluster label namespace "$namespace" pod-security.kubernetes.io/enforce=restricted &&
        in_casino create secret generic floor-registry --from-file "$folder/casino/registry.json" &&
        in_casino create secret generic casino --from-file "$folder/casino/casino.json" &&
        in_casino create secret generic ledger-database --from-literal "dsn=host=$CLUSTER_HOST user=bookkeeper dbname=postgres" &&
        in_casino create secret generic ledger-owner --from-literal "dsn=host=$CLUSTER_HOST user=owner dbname=postgres" || return 1
    for user in "${kafka_users[@]}"; do
        in_casino create secret generic "floor-floorbook-$user" --from-literal "password=$kafka_password" || return 1
    done
}

helm_does() {
    local act=$1
    shift
    cluster_values >"$folder/values.yaml"
    release "$act" floor "$chart" --namespace "$namespace" --values "$folder/values.yaml" --wait --timeout 400s "$@"
}

settled() { sql owner "SELECT count(*) FROM ledger.entries WHERE kind = 'settlement'"; }

# rounds MORE: waits until so many more rounds are settled than now.
rounds() {
    local goal=$(($(settled) + $1))
    until_true "${2:-150}" settled_at_least "$goal" || return 1
}

settled_at_least() { [ "$(settled)" -ge "$1" ] || { echo "$(settled) rounds are settled, $1 were wanted"; return 1; }; }

floor_plays() { floor_pod | in_casino apply --filename - && rounds 5 240; }

# A pod goes without a word, and what it was doing is done by its successor.
pod_killed() {
    in_casino delete pod "$1" --grace-period=0 --force && rounds 10 && until_true 60 in_casino wait --for condition=Ready --timeout 5s pod "$1"
}

# All services roll at once, so gateways of the new version meet table processors of the old one: what these cannot read, the gateways must keep
# out of the log. Every pod is another afterwards.
rolled() {
    local before after
    before=$(in_casino get pods --selector app.kubernetes.io/instance=floor --output 'jsonpath={.items[*].metadata.uid}' | tr ' ' '\n' | sort)
    helm_does upgrade --set image.tag=b || return 1
    # Pods of the evaluator that were replaced may still be going.
    until_true 60 all_are_of b || return 1
    after=$(in_casino get pods --selector app.kubernetes.io/instance=floor --output 'jsonpath={.items[*].metadata.uid}' | tr ' ' '\n' | sort)
    [ -z "$(comm -12 <(echo "$before") <(echo "$after"))" ] || { echo 'some pods are the old ones'; return 1; }
    rounds 5
}

# Facts of the new kind are in the log.
new_facts() { "${in_cluster[@]}" .venv/bin/python deploy/cluster/new_facts.py "$local_kafka" >"$folder/new-facts"; }

# Nothing of the new kind came to a fold that could not read it: no table is suspended, and nothing is in quarantine.
nothing_suspended() {
    local said
    # Only one of the rule sets throws dice, and gateways hold back what not all table processors can read yet.
    until_true 120 new_facts || return 1
    said=$(as_tool suspended) || { echo "$said"; return 1; }
    [[ $said == *'no table is suspended'* ]] || { echo "$said"; return 1; }
    said=$(as_tool quarantine) || { echo "$said"; return 1; }
    [[ $said == *'nothing was put into quarantine'* ]] || { echo "$said"; return 1; }
}

# as_tool COMMAND ARGUMENT...: what a tool of the new version says, as a pod.
as_tool() {
    local words
    words=$(printf '"%s", ' "$@")
    in_casino delete pod tool --ignore-not-found >/dev/null
    in_casino apply --filename - >/dev/null <<V || return 1
apiVersion: v1
kind: Pod
metadata: {name: tool}
spec:
  restartPolicy: Never
  automountServiceAccountToken: false
  securityContext: {runAsNonRoot: true, runAsUser: 10001, runAsGroup: 10001, seccompProfile: {type: RuntimeDefault}}
  containers:
    - name: tool
      image: localhost/floorbook:b
      imagePullPolicy: Never
      command: [floorbook]
      args: [${words%, }]
      env: [{name: FLOORBOOK_KAFKA, value: "$local_kafka"}]
      securityContext: {allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: {drop: [ALL]}}
V
    until_true 120 in_casino wait --for 'jsonpath={.status.phase}=Succeeded' --timeout 5s pod tool >/dev/null || { in_casino logs tool; return 1; }
    in_casino logs tool
}

all_are_of() {
    local tags
    tags=$(in_casino get pods --selector 'app.kubernetes.io/instance=floor,app.kubernetes.io/component in (gateway,table,evaluator,ledger,metrics,rebuild)' \
        --output 'jsonpath={.items[*].spec.containers[0].image}' | tr ' ' '\n' | sort -u)
    [ "$tags" = "localhost/floorbook:$1" ] || { echo "$tags"; return 1; }
}

# An image that is not there: Helm gives up and puts back what was, while the floor plays on.
failed_upgrade_rolled_back() {
    if helm_does upgrade --set image.tag=missing --no-hooks --atomic --timeout 45s; then
        echo 'an image that does not exist was rolled out'
        return 1
    fi
    until_true 60 all_are_of b || return 1
    in_casino wait --for condition=Ready --timeout 60s pod --selector 'app.kubernetes.io/instance=floor,app.kubernetes.io/component' || return 1
    rounds 5
}

# A setting that would need topics of another kind: the job before the upgrade says so, and nothing is changed.
other_topics_fail_the_upgrade() {
    if helm_does upgrade --set image.tag=b --set kafka.partitions=8 --timeout 60s; then
        echo 'another number of partitions was taken'
        return 1
    fi
    in_casino logs job/floor-floorbook-topics --tail 3 | grep -q 'has 4 partitions and not 8' || { in_casino logs job/floor-floorbook-topics --tail 5; return 1; }
}

# The floor is told to stop; it plays its rounds to the end and holds the books against the log, as the demo does.
nothing_lost_or_doubled() {
    local pod
    pod=$(in_casino get pods --selector job-name=simulated-floor --output 'jsonpath={.items[0].metadata.name}')
    in_casino exec "$pod" -- python3 -c 'import os, signal; os.kill(1, signal.SIGTERM)' || return 1
    in_casino wait --for condition=Complete --timeout 300s job/simulated-floor || { in_casino logs job/simulated-floor --tail 30; return 1; }
    in_casino logs job/simulated-floor --tail 40 >"$folder/result"
    grep -i reconciled "$folder/result" || { cat "$folder/result"; return 1; }
}

live_equals_rebuilt() { as_tool rebuild | tee "$folder/rebuilt"; grep -q 'live equals rebuilt' "$folder/rebuilt"; }

restarts() { in_casino get pods --output 'jsonpath={range .items[*]}{.metadata.name} {.status.containerStatuses[0].restartCount}{"\n"}{end}'; }

# timed NAME COMMAND...: a check whose time is shown.
timed() {
    local began=$SECONDS
    check "$@"
    echo "        $((SECONDS - began)) s, $(settled 2>/dev/null || echo 0) rounds settled so far"
}

cluster_rung() {
    local before=$failed
    folder=$(mktemp -d)
    netns=floorbook-rung-$$
    in_cluster=(nsenter "--net=/run/netns/$netns")
    export KUBECONFIG=$folder/kubeconfig
    trap node_stop EXIT
    timed 'images' image_made "$folder"
    timed 'node' node_start
    [ "$failed" -eq "$before" ] || return
    kafka_password=$(openssl rand -hex 12)
    timed 'Kafka' kafka_start
    check "each user's rights, as Strimzi would give them" until_true 60 rights_given
    timed 'PostgreSQL' database_start
    for image in pause floorbook-a floorbook-b; do
        check "image $image is on the node" containers image import "$folder/$image.tar"
    done
    timed 'casino' casino_furnished
    timed 'installed: topics and schema made, every pod ready' helm_does install
    [ "$failed" -eq "$before" ] || return
    timed 'rounds are settled through Service and DNS' floor_plays
    [ "$failed" -eq "$before" ] || return
    timed 'a table processor killed' pod_killed floor-floorbook-table-0
    timed 'a ledger killed' pod_killed floor-floorbook-ledger-0
    timed 'a gateway killed' pod_killed floor-floorbook-gateway-0
    timed 'rolling upgrade that brings a new fact, while the floor plays' rolled
    timed 'no table was suspended by it' nothing_suspended
    sed 's/^/        /' "$folder/new-facts" 2>/dev/null
    timed 'a failed upgrade rolled back while the floor plays' failed_upgrade_rolled_back
    timed 'topics of another kind fail the upgrade' other_topics_fail_the_upgrade
    timed 'nothing lost or doubled, to the cent' nothing_lost_or_doubled
    sed 's/^/        /' "$folder/result" 2>/dev/null
    timed 'live equals rebuilt' live_equals_rebuilt
    timed 'uninstalled' release uninstall floor --namespace "$namespace" --wait --timeout 120s
}

if ! tools=$(deploy/tools/build helm etcd kube-apiserver kubectl kube-controller-manager kube-scheduler kubelet kube-proxy coredns); then
    failed=$((failed + 1))
    echo 'FAILED  tools: see above'
elif needs containerd 'apt-get install --no-install-recommends containerd runc containernetworking-plugins iptables' &&
    needs runc 'apt-get install runc' && needs buildah 'apt-get install --no-install-recommends buildah catatonit mmdebstrap' &&
    needs catatonit 'apt-get install catatonit' && needs psql 'apt-get install postgresql' && needs java 'apt-get install default-jre-headless'; then
    PATH=$tools:$PATH
    cluster_rung
    node_stop
    trap - EXIT
fi
