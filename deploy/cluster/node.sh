# shellcheck shell=bash
# A whole cluster of one node in a network namespace of its own: control plane, kubelet, containerd, kube-proxy, CoreDNS; and beside them, as
# processes of the node, the Kafka and the PostgreSQL that the chart is told to use. Read by rung 7.
#
# Of the machine nothing is used but kernel, cores and the Debian packages containerd, runc, containernetworking-plugins and iptables.
# Every process leaves its id in a file of `folder`; `node_stop` ends all and takes away mounts, control groups and namespace.

# shellcheck disable=SC2154,SC2034 # folder, netns and in_cluster are the rung's; it reads kafka and local_kafka

# shellcheck source=/dev/null
. deploy/cluster/control-plane.sh

node_name=rung
CLUSTER_HOST=172.31.0.1
# For services, who log in and may do what they need; and for who looks after the broker.
kafka=$CLUSTER_HOST:9092
local_kafka=$CLUSTER_HOST:9094
kafka_users=(gateway table ledger metrics topics operators)
pods=10.88.0.0/16

namespace_start() {
    ip netns add "$netns" || return 1
    "${in_cluster[@]}" ip link set lo up
    # There is no dummy device everywhere: of a pair of veths one end is the node's.
    "${in_cluster[@]}" ip link add node0 type veth peer name node1
    "${in_cluster[@]}" ip address add "$CLUSTER_HOST/24" dev node0
    "${in_cluster[@]}" ip link set node0 up
    "${in_cluster[@]}" ip link set node1 up
    "${in_cluster[@]}" ip route add default via "$CLUSTER_HOST"
    "${in_cluster[@]}" sysctl -q -w net.ipv4.ip_forward=1
}

kafka_start() {
    local jars user logins=()
    jars=$(find "${XDG_CACHE_HOME:-$HOME/.cache}/floorbook" -maxdepth 1 -name 'kafka-*' 2>/dev/null | sort | tail -1)
    [ -n "$jars" ] || { echo 'no jars of Kafka in the cache: make demo fetches them'; return 1; }
    for user in "${kafka_users[@]}"; do
        logins+=(--add-scram "SCRAM-SHA-512=[name=floor-floorbook-$user,password=$kafka_password]")
    done
    mkdir -p "$folder/kafka"
    cat >"$folder/kafka.properties" <<K
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:9093
listeners=SERVICES://$kafka,LOCAL://$local_kafka,CONTROLLER://127.0.0.1:9093
advertised.listeners=SERVICES://$kafka,LOCAL://$local_kafka
listener.security.protocol.map=SERVICES:SASL_PLAINTEXT,LOCAL:PLAINTEXT,CONTROLLER:PLAINTEXT
inter.broker.listener.name=LOCAL
sasl.enabled.mechanisms=SCRAM-SHA-512
listener.name.services.scram-sha-512.sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required;
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS
controller.listener.names=CONTROLLER
log.dirs=$folder/kafka
auto.create.topics.enable=false
group.initial.rebalance.delay.ms=0
offsets.topic.num.partitions=4
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.num.partitions=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
log.cleaner.dedupe.buffer.size=16777216
K
    java -cp "$jars/*" kafka.tools.StorageTool format -t floorbook-rung-cluster -c "$folder/kafka.properties" "${logins[@]}" >"$folder/kafka-format.log" 2>&1 || { tail -5 "$folder/kafka-format.log"; return 1; }
    # At each login the broker asks for its own name, and waits seconds where nobody answers such questions.
    printf '127.0.0.1 localhost\n%s %s\n' "$CLUSTER_HOST" "$node_name" >"$folder/hosts"
    run kafka java "-Djdk.net.hosts.file=$folder/hosts" -Xms128m -Xmx384m -XX:+UseSerialGC -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -cp "$jars/*" kafka.Kafka "$folder/kafka.properties"
}

# sql DATABASE-USER STATEMENT: what the database answers, bare.
sql() { "${in_cluster[@]}" psql --no-psqlrc --quiet --tuples-only --no-align --host "$CLUSTER_HOST" --username "$1" --dbname postgres --command "$2"; }

database_start() {
    local as_owner=()
    mkdir -p "$folder/postgres"
    # PostgreSQL does not run as root.
    if [ "$(id -u)" -eq 0 ]; then
        as_owner=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
        chown nobody "$folder/postgres"
        chmod 711 "$folder"
    fi
    postgres=$(find /usr/lib/postgresql -name bin | sort | tail -1)
    "${as_owner[@]}" "$postgres/initdb" -D "$folder/postgres/data" -U owner --auth=trust --no-locale -E UTF8 --no-sync >/dev/null || return 1
    echo "host all all $pods trust
host all all $CLUSTER_HOST/32 trust" >>"$folder/postgres/data/pg_hba.conf"
    run postgres "${as_owner[@]}" "$postgres/postgres" -D "$folder/postgres/data" -p 5432 -k "$folder/postgres" -c "listen_addresses=$CLUSTER_HOST" -c fsync=off
    until_true 30 sql owner 'SELECT 1' || return 1
    # The ledger's login may only book; the role is otherwise made by the migration.
    sql owner 'CREATE ROLE floorbook_writer; CREATE ROLE bookkeeper LOGIN IN ROLE floorbook_writer'
}

containerd_start() {
    mkdir -p "$folder/containerd" "$folder/cni"
    cat >"$folder/containerd.toml" <<K
version = 2
root = "$folder/containerd/root"
state = "$folder/containerd/state"
[grpc]
  address = "$folder/containerd/socket"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "localhost/pause:rung"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = "$folder/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false
K
    cat >"$folder/cni/10-bridge.conflist" <<K
{"cniVersion": "0.4.0", "name": "rung", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": true, "hairpinMode": true,
   "ipam": {"type": "host-local", "dataDir": "$folder/ipam", "ranges": [[{"subnet": "$pods"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
K
    run containerd containerd --config "$folder/containerd.toml"
    until_true 30 containers version
}

containers() { ctr --address "$folder/containerd/socket" --namespace k8s.io "$@"; }

kubelet_start() {
    cat >"$folder/kubelet.yaml" <<K
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: $CLUSTER_HOST
failCgroupV1: false
cgroupDriver: cgroupfs
enforceNodeAllocatable: []
failSwapOn: false
maxOpenFiles: 20000
evictionHard: {memory.available: 50Mi, nodefs.available: 1%, imagefs.available: 1%}
imageGCHighThresholdPercent: 100
imageGCLowThresholdPercent: 99
containerRuntimeEndpoint: unix://$folder/containerd/socket
clusterDomain: cluster.local
clusterDNS: [$CLUSTER_HOST]
resolvConf: $folder/resolv.conf
podLogsDir: $folder/pod-logs
volumePluginDir: $folder/volume-plugins
# Nobody but this cluster is in its network namespace.
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
K
    echo "nameserver $CLUSTER_HOST" >"$folder/resolv.conf"
    run kubelet kubelet --config "$folder/kubelet.yaml" --kubeconfig "$folder/kubeconfig" --root-dir "$folder/kubelet" \
        --cert-dir "$folder/certificates" --hostname-override "$node_name" --node-ip "$CLUSTER_HOST"
}

node_start() {
    namespace_start || return 1
    # By default the server would ask for the node by a name that no name server knows.
    control_plane_start "$folder" --kubelet-preferred-address-types=InternalIP || return 1
    run kube-controller-manager kube-controller-manager --kubeconfig "$folder/kubeconfig" --authentication-kubeconfig "$folder/kubeconfig" \
        --authorization-kubeconfig "$folder/kubeconfig" --service-account-private-key-file "$folder/accounts.key" \
        --root-ca-file "$folder/certificates/apiserver.crt" --leader-elect=false --cert-dir "$folder/certificates" --bind-address 127.0.0.1
    run kube-scheduler kube-scheduler --kubeconfig "$folder/kubeconfig" --authentication-kubeconfig "$folder/kubeconfig" \
        --authorization-kubeconfig "$folder/kubeconfig" --leader-elect=false --cert-dir "$folder/certificates" --bind-address 127.0.0.1
    printf '.:53 {\n bind %s\n errors\n kubernetes cluster.local {\n  kubeconfig %s\n }\n}\n' "$CLUSTER_HOST" "$folder/kubeconfig" >"$folder/Corefile"
    run coredns coredns -conf "$folder/Corefile"
    run kube-proxy kube-proxy --kubeconfig "$folder/kubeconfig" --hostname-override "$node_name" --proxy-mode iptables \
        --conntrack-max-per-core 0 --conntrack-tcp-timeout-established 0 --conntrack-tcp-timeout-close-wait 0
    containerd_start || return 1
    kubelet_start
    until_true 90 cluster get node "$node_name" || return 1
    cluster wait --for condition=Ready --timeout 90s node "$node_name"
}

# kubectl and helm as they are used against this cluster.
cluster() { "${in_cluster[@]}" kubectl "$@"; }
release() { "${in_cluster[@]}" helm "$@"; }

# With KEEP_LOGS=FOLDER what the processes and pods have said is kept there.
node_stop() {
    local each task
    [ -d "$folder" ] || return 0
    if [ -n "${KEEP_LOGS:-}" ]; then
        mkdir -p "$KEEP_LOGS"
        cp -rL "$folder"/*.log "$folder/pod-logs" "$KEEP_LOGS/" 2>/dev/null
        cluster get pods,events --all-namespaces --output wide >"$KEEP_LOGS/objects" 2>&1
    fi
    stop kubelet
    if [ -f "$folder/containerd.pid" ]; then
        for task in $(containers tasks ls -q 2>/dev/null); do
            containers tasks kill --signal SIGKILL "$task" >/dev/null 2>&1
        done
        sleep 1
        for task in $(containers containers ls -q 2>/dev/null); do
            containers tasks rm --force "$task" >/dev/null 2>&1
            containers containers rm "$task" >/dev/null 2>&1
        done
    fi
    # A shim outlives its containerd; its command line names our socket.
    for each in /proc/[0-9]*/cmdline; do
        if { tr '\0' ' ' <"$each" | grep -q "containerd-shim.*$folder/"; } 2>/dev/null; then
            each=${each#/proc/}
            kill -9 "${each%/cmdline}" 2>/dev/null
        fi
    done
    for each in kube-proxy coredns containerd kube-scheduler kube-controller-manager kafka postgres; do
        stop "$each"
    done
    control_plane_stop
    awk -v folder="$folder/" 'index($2, folder) == 1 {print $2}' /proc/mounts | sort -r | xargs -r -n1 umount
    find /sys/fs/cgroup -depth -path '*kubepods*' -type d -exec rmdir {} + 2>/dev/null
    ip netns delete "$netns" 2>/dev/null
    rm -rf "$folder"
}
