# shellcheck shell=bash
made='make check installs it into .venv'

if needs yamllint "$made"; then
    mapfile -t files < <(git ls-files '*.yaml' '*.yml')
    check "yamllint, ${#files[@]} files" yamllint --strict --config-file deploy/yamllint.yaml "${files[@]}"
fi
if needs hadolint "$made"; then
    mapfile -t files < <(git ls-files '*Dockerfile' '*.Dockerfile')
    check "hadolint, ${#files[@]} files" hadolint "${files[@]}"
fi
if needs shellcheck "$made"; then
    mapfile -t files < <(git ls-files | while read -r file; do
        case $file in
            *.sh) echo "$file" ;;
            *) [ -x "$file" ] && head -n 1 "$file" | grep -q '^#!.*sh$' && echo "$file" ;;
        esac
    done)
    check "shellcheck, ${#files[@]} files" shellcheck "${files[@]}"
fi
if needs check-jsonschema "$made"; then
    check 'compose.yaml' check-jsonschema --builtin-schema vendor.compose-spec deploy/compose.yaml
fi
if needs buf "$made"; then
    check 'contracts' buf lint
    check 'contracts against the commit before the last that changed one' \
        buf breaking --against ".git#ref=$(git log -2 --format=%H -- protos | sed -n 2p)"
fi
if needs ruff "$made"; then
    # Asserts state invariants; children are started from fixed argument lists.
    check 'ruff, security' ruff check --select S --ignore S101,S603,S607 services deploy
fi
