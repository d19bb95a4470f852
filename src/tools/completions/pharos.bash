# bash completion for a program of Pharos: bash-completion reads the options from --help.
complete -F _longopt "${BASH_SOURCE[0]##*/}"
