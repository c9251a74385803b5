# shellcheck shell=bash
# Everything that podman makes lies in folders and a network namespace of this check's own: what else runs on the machine, its
# images and its iptables, is not touched. What takes long and does not change is kept in the user's cache, layers too.
images_cache=${XDG_CACHE_HOME:-$HOME/.cache}/floorbook/images
images_work=$(mktemp -d)
images_net=floorbook-images-$$
mkdir -p "$images_cache"
export CONTAINERS_CONF=$images_work/containers.conf CONTAINERS_STORAGE_CONF=$images_work/storage.conf
cat > "$CONTAINERS_CONF" <<'E2'
[containers]
default_ulimits = ["nofile=20000:20000", "nproc=4096:4096"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
E2
cat > "$CONTAINERS_STORAGE_CONF" <<E2
[storage]
driver = "overlay"
graphroot = "$images_cache/storage"
runroot = "$images_work/run"
E2

# What podman says goes into a file: programs that it leaves running keep its standard error open. Healthchecks are timers of
# systemd: where that is not process 1 podman says so at every start, and runs them when asked.
inside() { nsenter --net="/run/netns/$images_net" "$@" 2>> "$images_work/said"; }
complain() {
    grep -v 'systemd connection to \(add\|start\) healthchecks' "$images_work/said" | tail -n 30
    return 1
}
logs_of() { nsenter --net="/run/netns/$images_net" podman logs "$@" 2>&1; }
logs_of_all() {
    local name
    for name in $(inside podman ps --all --format '{{.Names}}'); do
        echo "$name"
        logs_of --tail 8 "$name"
    done
    return 1
}
compose() { inside podman-compose --file deploy/compose.yaml --env-file "$images_work/env" "$@"; }
container() { echo "floorbook_$1_1"; }

images_clean() {
    compose down --volumes > /dev/null 2>&1
    inside podman rm --all --force > /dev/null 2>&1
    ip netns delete "$images_net" 2> /dev/null
    umount "$images_cache/storage/overlay" 2> /dev/null
    rm -rf "$images_work"
}

# root NAME PACKAGES: a Debian with these packages as a tar, made once.
root() {
    [ -e "$images_cache/$1.tar" ] && return
    nice mmdebstrap --quiet --variant=apt --include="$2" bookworm "$images_cache/$1.new.tar" || return
    mv "$images_cache/$1.new.tar" "$images_cache/$1.tar"
}

from_root() {
    buildah inspect --type image "localhost/$1:bookworm" > /dev/null 2>&1 && return
    mkdir -p "$images_work/$1"
    ln -f "$images_cache/$1.tar" "$images_work/$1/" 2> /dev/null || cp "$images_cache/$1.tar" "$images_work/$1/"
    printf 'FROM scratch\nADD %s.tar /\n' "$1" > "$images_work/$1/Dockerfile"
    buildah bud --isolation chroot --quiet --tag "localhost/$1:bookworm" "$images_work/$1"
}

# The files that the lock files name, kept by their contents: inside a build nothing may be asked.
wheels() {
    local folder
    folder=$images_cache/wheels-$(cat requirements-image.lock deploy/requirements-build.lock | sha256sum | cut -c1-12)
    if ! [ -d "$folder" ]; then
        rm -rf "$folder.new"
        for lock in requirements-image.lock deploy/requirements-build.lock; do
            .venv/bin/pip download --quiet --disable-pip-version-check --only-binary :all: --require-hashes \
                --requirement "$lock" --dest "$folder.new" || return
        done
        mv "$folder.new" "$folder"
    fi
    mkdir -p "$images_work/context"
    git ls-files -z --cached --others --exclude-standard -- .dockerignore pyproject.toml README.md requirements-image.lock services deploy |
        tar --create --null --files-from=- --ignore-failed-read | tar --extract --directory "$images_work/context" || return
    cp "$folder"/*.whl "$images_work/context/deploy/wheels/"
}

product() {
    nice buildah bud --isolation chroot --layers --format docker --quiet --build-arg BASE=localhost/base:bookworm \
        --file "$images_work/context/deploy/Dockerfile" --tag localhost/floorbook:check "$images_work/context"
}

standins() {
    local jars=$images_work/standins/jars target
    mkdir -p "$jars"
    cp deploy/standins/* "$images_work/standins/" 2> /dev/null
    .venv/bin/python - "$images_work" <<'E2' || return
import asyncio, pathlib, sys
from floorbook.demo.java import kafka_jars
from floorbook.demo.processes import Supervisor

async def fetch() -> None:
    folder = pathlib.Path(sys.argv[1])
    async with Supervisor(folder) as supervisor:
        for jar in (await kafka_jars(supervisor)).glob("*.jar"):
            (folder / "standins" / "jars" / jar.name).write_bytes(jar.read_bytes())

asyncio.run(fetch())
E2
    for target in kafka postgres prometheus alertmanager; do
        buildah bud --isolation chroot --layers --format docker --quiet --target "$target" --build-arg SERVERS=localhost/servers:bookworm \
            --tag "localhost/$target:check" "$images_work/standins" || return
    done
}

alone() { inside podman run --rm --network none --read-only --cap-drop ALL --security-opt no-new-privileges "$@"; }

nothing_to_build_with() {
    local said
    # shellcheck disable=SC2016 # what is in quotes is for the shell inside
    said=$(alone --entrypoint sh localhost/floorbook:check -c '
        [ "$(id -u)" -gt 10000 ] || echo "it runs as uid $(id -u)"
        for folder in /opt /opt/floorbook /var/lib/floorbook /usr/local; do
            touch $folder/x 2> /dev/null && echo "$folder can be written"
        done
        for tool in pip pip3 gcc cc ld make git curl wget; do
            command -v $tool > /dev/null && echo "it has $tool"
        done
        for module in pip setuptools ensurepip wheel; do
            python3 -c "import $module" 2> /dev/null && echo "it has the module $module"
        done
        true') || complain || return
    [ -z "$said" ] || { echo "$said"; return 1; }
}

# ends NAME: within five seconds of SIGTERM, by itself (137 is what podman's SIGKILL leaves).
ends() {
    local began code
    began=$(date +%s%N)
    inside podman stop --time 5 "$1" > /dev/null || complain || return
    code=$(inside podman inspect --format '{{.State.ExitCode}}' "$1")
    echo "        ${1#floorbook_}: SIGTERM to end $((($(date +%s%N) - began) / 1000000)) ms" >&3
    [ "$code" = 0 ] || { echo "it ended with $code"; logs_of --tail 20 "$1"; return 1; }
}

healthy_alone() {
    inside podman run --detach --name alone --network none --read-only --cap-drop ALL --security-opt no-new-privileges \
        localhost/floorbook:check evaluator > /dev/null || complain || return
    for _ in $(seq 60); do
        inside podman healthcheck run alone > /dev/null 2>&1 && break
        sleep 0.5
    done
    inside podman healthcheck run alone || logs_of_all || return
    ends alone || return
    inside podman rm alone > /dev/null
}

up() {
    (
        umask 077
        cat > "$images_work/env"
    ) <<E2
FLOORBOOK_OWNER_PASSWORD=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
FLOORBOOK_BOOKKEEPER_PASSWORD=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
FLOORBOOK_READER_PASSWORD=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
FLOORBOOK_IMAGE=localhost/floorbook:check
KAFKA_IMAGE=localhost/kafka:check
POSTGRES_IMAGE=localhost/postgres:check
PROMETHEUS_IMAGE=localhost/prometheus:check
ALERTMANAGER_IMAGE=localhost/alertmanager:check
TABLES=4
ROUNDS=40
E2
    compose up --detach --no-build > "$images_work/up" || complain
}

playing() { [ "$(inside podman inspect --format '{{.State.Running}}' "$(container floor)")" = true ]; }

# While it plays: each service is told to end, and started again.
all_end() {
    local service fault=0
    until logs_of "$(container floor)" | grep -q ' rounds [1-9]'; do
        playing || logs_of_all || return
        sleep 0.5
    done
    for service in gateway table evaluator ledger metrics; do
        ends "$(container $service)" || { echo "$service"; fault=1; }
        inside podman start "$(container $service)" > /dev/null || { complain; fault=1; }
    done
    playing || { echo 'all was played before every service had been told'; fault=1; }
    return $fault
}

settled() {
    local code
    code=$(inside timeout 600 podman wait "$(container floor)") || logs_of_all || return
    logs_of "$(container floor)" | sed -n 's/^\(rounds\|ledger\|settling\|difference\|RECONCILED\)/        &/p' >&3
    [ "$code" = 0 ] || logs_of_all || return
    logs_of "$(container floor)" | grep -q '^RECONCILED'
}

# What Prometheus has of it: all five services, and rounds that were settled.
seen() {
    local query=http://127.0.0.1:9090/api/v1/query found
    for _ in $(seq 40); do
        found=$(inside curl --silent --get "$query" --data-urlencode 'query=count(up == 1) == 5 and on() sum(floorbook_ledger_entries_posted_total) > 0')
        case $found in *'"value"'*) return 0 ;; esac
        sleep 1
    done
    inside curl --silent --get "$query" --data-urlencode 'query=up'
    return 1
}

images() {
    local began=$SECONDS
    exec 3>&1
    check 'a network of its own' ip netns add "$images_net"
    ip -n "$images_net" link set lo up
    check 'base of Debian packages' root base ca-certificates,python3,python3-venv
    check 'base image' from_root base
    check 'servers of Debian packages' root servers openjdk-17-jre-headless,postgresql-15,prometheus,prometheus-alertmanager
    check 'servers image' from_root servers
    check 'stand-ins for the public images' standins
    echo "        $((SECONDS - began)) s so far"
    began=$SECONDS
    check 'wheels' wheels
    check 'image of floorbook' product
    echo "        $((SECONDS - began)) s, $(buildah images --format '{{.Size}}' localhost/floorbook:check), of which base $(buildah images --format '{{.Size}}' localhost/base:bookworm)"
    check 'nothing to build with, a root that cannot be written, uid above 10000' nothing_to_build_with
    check 'an evaluator alone is healthy and ends' healthy_alone
    began=$SECONDS
    check 'compose up' up
    echo "        $((SECONDS - began)) s"
    began=$SECONDS
    check 'each service ends within 5 s of SIGTERM amid play' all_end
    check 'all rounds are settled and the books agree' settled
    echo "        $((SECONDS - began)) s"
    check 'Prometheus sees all five services' seen
    check 'rebuild in a container' inside podman run --rm --network floorbook_default --env FLOORBOOK_KAFKA=kafka:9092 localhost/floorbook:check rebuild
    check 'compose down' compose down --volumes
    exec 3>&-
}

images_tools=0
for tool in buildah podman runc mmdebstrap netavark; do
    where='apt-get install --no-install-recommends buildah podman runc mmdebstrap netavark aardvark-dns iptables catatonit'
    # podman keeps its network programs out of the PATH.
    PATH=$PATH:/usr/lib/podman needs "$tool" "$where" || images_tools=1
done
needs podman-compose 'make check installs it into .venv' || images_tools=1
[ "$images_tools" = 1 ] || images
images_clean
unset CONTAINERS_CONF CONTAINERS_STORAGE_CONF
