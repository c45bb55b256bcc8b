/**
 * Tries from within what an isolated command must not be able to do, and prints `held`, or what it could. Arguments: our pid namespace, the workspace, the
 * state directory, a file that is another session's, one in everybody's /tmp, one to be made where nobody may, then all that is to be hidden.
 */
export const PROBE = `
fail() { echo "$1"; exit 1; }
[ "$(readlink /proc/self/ns/pid)" != "$1" ] || fail 'commands see all processes'
workspace=$2 state=$3; shift 3
if [ -e "$1" ]; then fail 'other sessions are visible'; fi
if [ -e "$2" ]; then fail 'the /tmp of everybody is visible'; fi
if ( : > "$3" ) 2>/dev/null; then fail "$3 can be made"; fi
if ( : > "$state/probe" ) 2>/dev/null; then fail 'the state directory can be written'; fi
( : > "$workspace/probe" ) 2>/dev/null || fail 'the workspace cannot be written'
( : > /tmp/probe ) 2>/dev/null || fail '/tmp cannot be written'
if umount "$state" 2>/dev/null || mount -o remount,rw / 2>/dev/null; then fail 'mounts can be undone'; fi
shift 3
for place; do
  if [ -d "$place" ]; then [ -z "$(ls -A "$place" 2>/dev/null)" ] || fail "$place is visible"
  elif [ -s "$place" ]; then fail "$place is visible"; fi
done
echo held
`;
