# shellcheck shell=bash
chart=helm/floorbook
kubernetes=1.37.0

# renders FILE OUT: the objects for a file of values.
renders() {
    helm template floor "$chart" --namespace casino --kube-version "$kubernetes" --values "$1" >"$2"
}

# A chart without values says all that is missing, instead of installing something.
refuses_nothing_said() {
    local said missing
    if said=$(helm lint "$chart" --kube-version "$kubernetes" 2>&1); then
        echo 'the chart takes no values at all'
        return 1
    fi
    for missing in /kafka/bootstrapServers /database/secretName /database/ownerSecretName /gateway/encryptedBy /gateway/registry/secretName; do
        [[ $said == *"at '$missing'"* ]] || { echo "$missing is not named in: $said"; return 1; }
    done
}

# What is packed is what is here: no file is left out.
packed_is_the_same() {
    helm package "$chart" --destination "$1" >/dev/null &&
        helm template floor "$1"/floorbook-*.tgz --namespace casino --kube-version "$kubernetes" --values "$chart/tests/values/full.yaml" >"$1/packed.yaml" &&
        diff "$1/full.yaml" "$1/packed.yaml"
}

# Pods are replaced when their settings change, and only then.
changes_pods() {
    local lines
    renders "$chart/tests/values/full.yaml" "$1/again.yaml" && cmp "$1/full.yaml" "$1/again.yaml" || return 1
    helm template floor "$chart" --namespace casino --kube-version "$kubernetes" --values "$chart/tests/values/full.yaml" \
        --set table.evaluateDeadlineSeconds=3 >"$1/other.yaml"
    lines=$(diff "$1/full.yaml" "$1/other.yaml" | grep -c '^> .*checksum/settings')
    [ "$lines" -eq 1 ] || { echo "$lines services have other pods, and one has another setting"; return 1; }
}

# The two validators must be able to fail: each is given a fault.
catches() {
    local file=$1 change=$2
    shift 2
    sed "$change" "$file" >"${file%.yaml}-fault.yaml"
    ! cmp -s "$file" "${file%.yaml}-fault.yaml" || { echo "nothing to change by $change"; return 1; }
    ! "$@" "${file%.yaml}-fault.yaml" >/dev/null 2>&1 || { echo "$change was not noticed"; return 1; }
}

custom_kinds() {
    # Kinds that are not here are Kubernetes' own, which kubernetes-validate looks at.
    kubeconform -strict -schema-location "$kinds/schemas/{{.ResourceKind}}{{.KindSuffix}}.json" -ignore-missing-schemas "$1"
}

own_kinds() { kubernetes-validate -k "$kubernetes" --strict "$1"; }

scored() {
    local said
    # No limit of CPU: throttled CPU is latency. Pods are spread by topology constraints, which it does not count. Whether images are
    # pulled always, and whether one evaluator is enough, is the operator's choice.
    said=$(kube-score score --exit-one-on-warning --output-format ci \
        --ignore-container-cpu-limit --ignore-test container-image-pull-policy,deployment-replicas \
        --ignore-test deployment-has-host-podantiaffinity,statefulset-has-host-podantiaffinity "$1") && return 0
    grep -E '^\[(CRITICAL|WARNING)\]' <<<"$said" || echo "$said"
    return 1
}

if ! tools=$(deploy/tools/build helm helm-unittest kubeconform kube-score) || ! kinds=$(deploy/tools/crds); then
    failed=$((failed + 1))
    echo 'FAILED  tools: see above'
elif needs kubernetes-validate 'make check installs requirements-deploy.lock'; then
    PATH=$tools:$PATH
    folder=$(mktemp -d)
    check 'values.schema.json names all that is missing' refuses_nothing_said
    check 'unit tests of the chart' helm-unittest --strict "$chart"
    for file in "$chart"/tests/values/*.yaml; do
        name=$(basename "$file" .yaml)
        check "lint $name" helm lint --strict --kube-version "$kubernetes" --values "$file" "$chart"
        check "render $name" renders "$file" "$folder/$name.yaml"
        check "Kubernetes' kinds of $name" own_kinds "$folder/$name.yaml"
        check "custom kinds of $name" custom_kinds "$folder/$name.yaml"
        check "score of $name" scored "$folder/$name.yaml"
    done
    check 'other settings are other pods, the same are the same' changes_pods "$folder"
    check 'a package is the same' packed_is_the_same "$folder"
    check 'an unknown field is noticed' catches "$folder/minimal.yaml" 's/^  replicas:/  replica:/' own_kinds
    check "an unknown field of Strimzi's is noticed" catches "$folder/strimzi.yaml" 's/^  partitions:/  partition:/' custom_kinds
    check "a word in a rule that is none is noticed" catches "$folder/full.yaml" 's/- alert: TableLate/- alarm: TableLate/' custom_kinds
    rm -rf "$folder"
fi
