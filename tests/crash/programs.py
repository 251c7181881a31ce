"""What is in the world: the mission, the evaluator, the maker."""

MISSION = """\
---
goal: Make the number larger
file: [target.txt]
metric: sh judge.sh
metric_name: score
direction: higher
guard: ["! grep -q forbidden target.txt"]
iterations: {iterations}
maker: ["command:sh $CRASH_MAKER"]
---
Add a line.
"""
JUDGE = """\
sleep ${PACE:-0}
if grep -q crash target.txt; then echo "cannot count a crash" >&2; exit 3; fi
awk '/^(gain|loss|forbidden) [0-9]+$/ { total += ($1 == "loss" ? -1 : 1) * $2; next } { total -= 100 }
     END { print "score: " total }' target.txt
"""
# Every edit is made upon what is there, in two halves, so that a tree that was not put back shows in what follows.
MAKER = """\
edit() { printf "%s" "$1" >> target.txt; sleep ${PACE:-0}; printf " %s\\n" "$2" >> target.txt; }
say() { [ -n "$SILENT" ] || echo "{\\"summary\\": \\"$1\\", \\"hypothesis\\": \\"trial $JUMAR_TRIAL, on $(wc -l < target.txt) lines\\"}" > "$JUMAR_PROPOSAL"; }
say "begun"
case $JUMAR_TRIAL in
1) edit gain 3 ;;
2) edit loss 1 ;;
3) edit crash now ;;
4) sleep ${PACE:-0} ;;
5) edit gain 1; echo more >> notes.txt ;;
6) edit loss 1 ;;
7) edit gain 2; git commit -qam "by the maker"; git branch made-by-maker 2> /dev/null || true ;;
8) edit forbidden 9 ;;
9) edit gain 5; say "gave up"; exit 7 ;;
10) mkdir -p cache; echo x > cache/x; edit gain 1 ;;
*) edit gain 1 ;;
esac
say "wrote"
"""
# One that shrugs off a polite request, and starts another in a session of its own, which would write much later.
STUBBORN = """\
case $JUMAR_TRIAL in 2|8)
    trap "" TERM
    setsid sh -c 'trap "" TERM; sleep 5; echo late >> target.txt' > /dev/null 2>&1 &
    left=$! ;;
esac
"""
GIT_CONFIG = "[user]\n\tname = Test\n\temail = test@example.invalid\n[init]\n\tdefaultBranch = main\n"
