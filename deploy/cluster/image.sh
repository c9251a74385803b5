# shellcheck shell=bash
# The product's image and the one that holds a pod's namespaces open, as tar files for a cluster without a registry. Read by rung 7.

images_cache=${XDG_CACHE_HOME:-$HOME/.cache}/floorbook/images

# next_version FOLDER: makes the sources there those of a next version, in which throws of dice are facts of a new schema: a fold of today
# cannot read what its gateways would write, and suspends the table that gets it.
next_version() {
    python3 - "$1/services/floorbook/wire/envelope.py" <<'P'
import re, sys
from pathlib import Path
file = Path(sys.argv[1])
text, changed = re.subn(r"^FOLD_SCHEMA = (\d+)$", lambda m: f"FOLD_SCHEMA = {int(m[1]) + 1}", file.read_text(), flags=re.M)
text, told = re.subn(r"^    return (max\(game\.schemas\.get.*)$", r"    return FOLD_SCHEMA if isinstance(fact, events.DiceThrown) else \1", text, flags=re.M)
assert (changed, told) == (1, 1), "envelope.py says it in other words now"
file.write_text(text)
P
}

# image_made FOLDER: the images as image_make makes them, kept in the cache while nothing of what they are made of changes.
image_made() {
    local kept
    kept=$images_cache/cluster-$(git ls-files -z -- pyproject.toml README.md requirements-image.lock services deploy/Dockerfile deploy/requirements-build.lock \
        deploy/cluster/image.sh | xargs -0 sha256sum | sha256sum | cut -c1-12)
    if ! [ -d "$kept" ]; then
        rm -rf "$images_cache"/cluster-*
        mkdir -p "$kept.new"
        image_make "$kept.new" && mv "$kept.new" "$kept" || return 1
    fi
    ln "$kept"/*.tar "$1/" 2>/dev/null || cp "$kept"/*.tar "$1/"
}

# image_make FOLDER: writes FOLDER/floorbook-a.tar (localhost/floorbook:a), FOLDER/floorbook-b.tar (the next version, :b) and FOLDER/pause.tar.
image_make() {
    local work=$1/images wheels
    mkdir -p "$work/context" "$images_cache"
    cat >"$work/storage.conf" <<K
[storage]
driver = "overlay"
graphroot = "$work/storage"
runroot = "$work/run"
K
    export CONTAINERS_STORAGE_CONF=$work/storage.conf
    if ! [ -e "$images_cache/base.tar" ]; then
        mmdebstrap --quiet --variant=apt --include=ca-certificates,python3,python3-venv bookworm "$images_cache/base.new.tar" || return 1
        mv "$images_cache/base.new.tar" "$images_cache/base.tar"
    fi
    # Kept by their contents; inside a build nothing may be asked.
    wheels=$images_cache/wheels-$(cat requirements-image.lock deploy/requirements-build.lock | sha256sum | cut -c1-12)
    if ! [ -d "$wheels" ]; then
        rm -rf "$wheels.new"
        for lock in requirements-image.lock deploy/requirements-build.lock; do
            .venv/bin/pip download --quiet --disable-pip-version-check --only-binary :all: --require-hashes --requirement "$lock" --dest "$wheels.new" || return 1
        done
        mv "$wheels.new" "$wheels"
    fi
    git ls-files -z -- .dockerignore pyproject.toml README.md requirements-image.lock services deploy |
        tar --create --null --files-from=- | tar --extract --directory "$work/context" || return 1
    mkdir -p "$work/context/deploy/wheels" "$work/base"
    cp "$wheels"/*.whl "$work/context/deploy/wheels/"
    ln "$images_cache/base.tar" "$work/base/" 2>/dev/null || cp "$images_cache/base.tar" "$work/base/"
    printf 'FROM scratch\nADD base.tar /\n' >"$work/base/Dockerfile"
    mkdir "$work/pause"
    cp "$(command -v catatonit)" "$work/pause/catatonit"
    printf 'FROM scratch\nCOPY catatonit /catatonit\nENTRYPOINT ["/catatonit", "-P"]\n' >"$work/pause/Dockerfile"
    buildah bud --isolation chroot --quiet --tag localhost/pause:rung "$work/pause" &&
        buildah bud --isolation chroot --quiet --tag localhost/base:rung "$work/base" &&
        buildah bud --isolation chroot --layers --quiet --build-arg BASE=localhost/base:rung --file "$work/context/deploy/Dockerfile" \
            --tag localhost/floorbook:a "$work/context" &&
        next_version "$work/context" &&
        buildah bud --isolation chroot --layers --quiet --build-arg BASE=localhost/base:rung --file "$work/context/deploy/Dockerfile" \
            --tag localhost/floorbook:b "$work/context" &&
        buildah push --quiet localhost/pause:rung "docker-archive:$1/pause.tar:localhost/pause:rung" &&
        buildah push --quiet localhost/floorbook:a "docker-archive:$1/floorbook-a.tar:localhost/floorbook:a" &&
        buildah push --quiet localhost/floorbook:b "docker-archive:$1/floorbook-b.tar:localhost/floorbook:b" || return 1
    buildah rm --all >/dev/null 2>&1
    umount "$work/storage/overlay" 2>/dev/null
    chmod -R u+w "$work"
    rm -rf "$work"
}
