# shellcheck shell=bash
# An etcd and a Kubernetes API server of one's own, on loopback (or CLUSTER_HOST), in a private folder. Read by rungs 5 and 7.
#
# `control_plane_start FOLDER ARGUMENT...` writes FOLDER/kubeconfig and waits until the server is ready; the arguments are the server's.
# What is started leaves its process id in FOLDER.

CLUSTER_HOST=${CLUSTER_HOST:-127.0.0.1}
# How a command gets to where the cluster is: nothing, or nsenter with its arguments.
in_cluster=()

# ports N: prints N ports on which nobody listens.
ports() {
    python3 - "$1" <<'P'
import socket, sys
held = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
print(*(each.getsockname()[1] for each in held))
P
}

# run NAME COMMAND...: starts a process of the cluster.
run() {
    local name=$1
    shift
    "${in_cluster[@]}" "$@" >"$folder/$name.log" 2>&1 &
    echo "$!" >"$folder/$name.pid"
}

# stop NAME: ends a process and waits for it; by force after ten seconds.
stop() {
    local pid
    [ -f "$folder/$1.pid" ] || return 0
    pid=$(cat "$folder/$1.pid")
    rm "$folder/$1.pid"
    kill "$pid" 2>/dev/null || return 0
    for _ in $(seq 100); do
        kill -0 "$pid" 2>/dev/null || return 0
        sleep 0.1
    done
    kill -9 "$pid" 2>/dev/null
    return 0
}

# until_true SECONDS COMMAND...: waits for a command to succeed; shows what it said last if it does not.
until_true() {
    local end=$((SECONDS + $1)) said
    shift
    until said=$("$@" 2>&1); do
        if [ "$SECONDS" -ge "$end" ]; then
            echo "$* still fails: $said"
            return 1
        fi
        sleep 0.3
    done
}

control_plane_start() {
    folder=$1
    shift
    local client peer api token
    read -r client peer api <<<"$(ports 3)"
    token=$(openssl rand -hex 16)
    openssl genrsa -out "$folder/accounts.key" 2048 2>/dev/null
    openssl rsa -in "$folder/accounts.key" -pubout -out "$folder/accounts.pub" 2>/dev/null
    echo "$token,admin,admin,system:masters" >"$folder/tokens"
    chmod 600 "$folder/tokens" "$folder/accounts.key"
    run etcd etcd --data-dir "$folder/etcd" --unsafe-no-fsync --log-level warn \
        --listen-client-urls "http://127.0.0.1:$client" --advertise-client-urls "http://127.0.0.1:$client" \
        --listen-peer-urls "http://127.0.0.1:$peer" --initial-advertise-peer-urls "http://127.0.0.1:$peer" \
        --initial-cluster "default=http://127.0.0.1:$peer"
    run kube-apiserver kube-apiserver --etcd-servers "http://127.0.0.1:$client" \
        --bind-address "$CLUSTER_HOST" --advertise-address "$CLUSTER_HOST" --secure-port "$api" --cert-dir "$folder/certificates" \
        --token-auth-file "$folder/tokens" --authorization-mode RBAC --allow-privileged=true \
        --service-account-issuer https://kubernetes.default.svc --service-account-key-file "$folder/accounts.pub" \
        --service-account-signing-key-file "$folder/accounts.key" --service-cluster-ip-range 10.96.0.0/16 \
        --endpoint-reconciler-type none "$@"
    cat >"$folder/kubeconfig" <<K
apiVersion: v1
kind: Config
current-context: rung
clusters: [{name: rung, cluster: {server: "https://$CLUSTER_HOST:$api", insecure-skip-tls-verify: true}}]
users: [{name: admin, user: {token: $token}}]
contexts: [{name: rung, context: {cluster: rung, user: admin}}]
K
    chmod 600 "$folder/kubeconfig"
    export KUBECONFIG=$folder/kubeconfig
    until_true 60 "${in_cluster[@]}" kubectl get --raw /readyz
}

# The API server first: without etcd it would hang.
control_plane_stop() {
    stop kube-apiserver
    stop etcd
}
