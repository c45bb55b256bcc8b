import fc from 'fast-check';

/**
 * Commands that write here and there, in many ways to say so: the classifier must see which of them stay in the workspace. Programs whose effect depends on
 * nothing but their words; nothing that waits, and nothing that needs a network.
 */

const inside = fc.constantFrom(
  'a.txt',
  'b.txt',
  './a.txt',
  'sub/c.txt',
  'sub',
  'sub/',
  'sub/deep',
  'new.txt',
  'sub/new.txt',
  "'a b.txt'",
  'in/c.txt',
  '-n',
  '.dot',
  '.',
  'new/dir',
);
const outside = fc.constantFrom(
  '../notes.txt',
  '..',
  '../new.txt',
  '~/notes.txt',
  '~/new',
  '"$HOME/notes.txt"',
  '$HOME',
  '/tmp/new',
  '/tmp',
  '/etc/hosts',
  '/srv/data.txt',
  'sub/../../notes.txt',
  'out/f.txt',
  'out',
  'out/new',
  'sub/up.txt',
  '../other',
  '../other/f.txt',
  '../work/../notes.txt',
  '/home/ada/new',
  '~/.netrc',
  '../.ssh/id_rsa',
  '~/.hermes/.env',
  '../.hermes',
  '~ada/new',
);
const tricky = fc.constantFrom(
  '*',
  's*',
  '*.txt',
  '.*',
  '../*',
  '*/..',
  'sub/*',
  '[ab].txt',
  '?.txt',
  '.?',
  '{a.txt,b.txt}',
  '{..,sub}/x',
  'sub/{..,.}/../x',
  '.{.,}/x',
  '{a,b}{1,2}',
  '~+/x',
  '~+/../x',
  '~-/x',
  '$X',
  '"$X"',
  '${X}',
  '$X/x',
  '"$X/../x"',
  '${X:-a.txt}',
  '${X:-../x}',
  '${X:=../x}',
  '${X%.txt}',
  '${X##*/}',
  '${X/a/..}',
  '"${X:0:2}"',
  '${#X}',
  '${!X}',
  '$1',
  '"$1"',
  '"$@"',
  '$*',
  '$?',
  '$#',
  '$PWD/x',
  '$PWD/../x',
  '$OLDPWD/x',
  '"$(pwd)/x"',
  '$(pwd)/../x',
  '$(echo ../x)',
  '`echo ../x`',
  '$(echo a.txt)',
  '$(cat b.txt)',
  '$(head -1 b.txt)',
  '$(<b.txt)',
  '../.[a-z]*',
  '../.hermes/*',
  '~/.h*/.env',
  '$(ls -a ..)',
  '$(echo ../.netrcx | cut -c1-9)',
  '"$(find .. -name .netrc)"',
  '$(sed -n 1p b.txt)',
  "$'..\\x2fx'",
  "$'a\\056txt'",
  ".'.'/x",
  '".".""/x',
  '..\\/x',
  '\\.\\./x',
  './/../x',
  '$((1))',
  'f$((1+1)).txt',
  '/home/ada/work/x',
  '/home/ada/work/../x',
  '//home/ada/work//x',
  'sub/./x',
  '/dev/null',
  '/dev/shm/../../tmp/x',
  '/proc/self/cwd/../x',
  '/proc/self/cwd/x',
  '-',
  '--',
  '/home/ada/wor*/x',
  '/home/ada/work*',
  'in/../../x',
  'sub/deep/../../x',
);

const word = fc.oneof({ weight: 6, arbitrary: inside }, { weight: 2, arbitrary: outside }, { weight: 4, arbitrary: tricky });
const words = fc.array(word, { minLength: 1, maxLength: 3 }).map((list) => list.join(' '));

const program = (template: string): fc.Arbitrary<string> =>
  fc.tuple(...(template.match(/[WP]/gu) ?? []).map((mark) => (mark === 'W' ? words : word))).map((values) => {
    const left = [...values];
    return template.replaceAll(/[WP]/gu, () => left.shift() ?? '');
  });

const programs = fc.oneof(
  ...`touch W|touch -r a.txt W|touch -d yesterday -- W|mkdir P|mkdir -p W|rmdir P|rmdir -p P|rm -f W|rm W|rm -d P|unlink P|cp P P|cp -r P P|cp -t P W|cp -a P P|cp --parents P P|cp -l P P|cp -s P P|cp -b P P|
    mv P P|mv -t P W|mv -n W P|ln P P|ln -s P P|ln -sf P P|ln -sr P P|ln -t P P|link P P|install P P|install -d W|install -D P P|tee W|tee -a P|dd if=P of=P|dd of=P|truncate -s 0 W|truncate -r P P|
    sed -i s/o/0/ W|sed -i.bak -e 2d W|sed -n 1p W|sed -n w\\ P a.txt|sed wP a.txt|sort -o P P|sort P -oP|sort --output=P P|uniq P P|split -l 1 P P|split -n 2 a.txt P|csplit -f P a.txt 2|tar cf P W|tar -cf P -C P .|tar xf P|tar xf P -C P|
    tar czf P W|tar --create --file=P W|gzip -k W|gzip W|gzip -c P|gunzip W|chmod 600 W|chmod u+x W|chmod -R go-r P|chmod --reference=a.txt W|chgrp 0 W|find P -type f|find P -name a.txt -exec touch {} +|find W -exec chmod 600 {} \\;|
    find P -fprint P|find P -maxdepth 1 -exec cp {} P \\;|xargs -a P touch|xargs touch|xargs -I{} touch {}|xargs -I{} cp a.txt {}/x|echo P|echo hi P|printf %s P|printf '%s\\n' W|cat W|head -1 P|tail -1 P|wc W|cut -c1 P|tr a b|base64 P|ls -la W|stat P|du P|
    basename P|dirname P|realpath P|readlink -f P|diff P P|cmp P P|comm P P|test -e P|[ -f P ]|mktemp P|mktemp -p P|mktemp -u P|mktemp -d|xxd P P|od P|sum P|sha256sum W|nl P|paste P P|join P P|fold P|shuf -o P P|shuf P|expr P : a|seq 2|
    patch P b.txt|patch -o P a.txt b.txt|awk 1 P|awk '{print $1}' P|awk 'BEGIN{print 1}'|grep -r o P|grep -rh . P|find P -name '.*' -exec head {} +|ls -a P | xargs cat|find P -type f | xargs head|cat < P|sed "r P" a.txt|sed --expr='w P' a.txt|sed -n -e 1p -e 'R P' a.txt|awk '{ print > "P" }' a.txt|awk '{ getline x < "P"; print x }' a.txt|sort --outp=P a.txt|cp --targ P W|tar --cre --fil P a.txt|tar --cre --fil new.tar W; tar xOf new.tar|xargs -i touch {} < b.txt|xargs --replace cat {} < b.txt|xargs cat < b.txt|while read X; do cat $X; done < b.txt|diff -r P .|cp -r P new; cat new/*|cp -a P new; cat new/.[a-z]*|zip -qr new.zip P; unzip -p new.zip|history -w P|tar cf - P|perl -pe 1 P|nl P|strings P|cut -c1-20 P|rev P|tac P|paste P a.txt|comm P a.txt|join P a.txt|uniq P|head -c 99 P|dd if=P|base64 -w0 P | base64 -d|mapfile -t Z < P; echo "\${Z[@]}"|read X < P; echo $X|git hash-object -w P|git diff --no-index a.txt P|mv P new; cat new|ln P new; cat new|ln -s P new; cat new|grep o W|mkfifo P|mknod P p|true|false|:|pwd|git init P|git init|git -C P init|git -C P status|git clone P P|git diff --no-index P P|
    logger x|env touch P|env -C P touch x|env X=P touch $X|env -i touch P|timeout 1 touch P|nice touch P|nohup touch P|command touch P|setsid touch P|stdbuf -o0 touch P|time touch P|exec touch P|builtin echo P|flock P touch P|nice -n 1 cp P P|
    script -q P|xargs -n1 < b.txt|xargs -n1 touch < b.txt|read X < P|source P|. P|eval touch P|eval "touch P"|type touch|hash -r|umask 000|umask 077|ulimit -c 0|set -- W|shift|export X=P|X=P|X=a.txt|X=..|X=$X/P|X+=P|declare X=P|local X=P|
    readonly Y=P|unset X|read X <<< P|read -r X Y <<< "a.txt P"|printf -v X %s P|IFS=/|IFS=,|IFS= read -r X < b.txt|mapfile -t Z < b.txt|Z=(W)|Z[0]=P|touch "\${Z[0]}"|touch "\${Z[@]}"|let Y=1|((Y=1))|shopt -s dotglob|shopt -s nullglob|set -f|
    cd P|cd P && touch x|cd -|cd|cd -- P|cd -P P|pushd P|popd|cd sub|cd sub/deep|cd ..|cd in|cd out|CDPATH=P|HOME=P|OLDPWD=P|PWD=P|TMPDIR=P|alias ll=touch|f() { touch "$1"; }|f P|g() { cd P; }|g|trap 'touch P' EXIT|exec > P|exec 2>> P|exec 3> P|exec 3<> P`
    .split(/(?<! )\|(?! )/u)
    .map((template) => program(template.trim())),
);

const REDIRECTS = [
  '> P',
  '>> P',
  '2> P',
  '&> P',
  '>| P',
  '< P',
  '<> P',
  '2>&1',
  '>&2',
  '>& P',
  '3> P',
  '<<< P',
  '> P 2>&1',
  '< P > P',
  '2>/dev/null',
  '>/dev/null',
];
const redirect = fc.oneof(...REDIRECTS.map(program));

const simple = fc.oneof(
  { weight: 6, arbitrary: programs },
  { weight: 2, arbitrary: fc.tuple(programs, redirect).map(([left, right]) => `${left} ${right}`) },
  { weight: 1, arbitrary: fc.tuple(redirect, programs).map(([left, right]) => `${left} ${right}`) },
  { weight: 1, arbitrary: fc.tuple(word, programs).map(([value, right]) => `X=${value} ${right}`) },
  { weight: 1, arbitrary: fc.tuple(programs, word).map(([left, value]) => `${left} <<E > ${value}\nbody $X\nE`) },
  { weight: 1, arbitrary: fc.tuple(programs, word).map(([left, value]) => `${left} <<'E'\n$(touch ${value})\nE`) },
  { weight: 1, arbitrary: redirect },
);

const JOINS = ['; ', ' && ', ' || ', ' | ', ' & ', '\n', ' |& ', ';', '&&', '|'];

const { statement } = fc.letrec<{ statement: string; compound: string; list: string }>((tie) => ({
  list: fc
    .tuple(tie('statement'), fc.constantFrom(...JOINS), tie('statement'))
    .map(([left, join, right]) => (left.includes('<<E') || left.includes("<<'E'") ? `${left}\n${right}` : left + join + right)),
  compound: fc.oneof(
    tie('statement').map((inner) => `(${inner}\n)`),
    tie('statement').map((inner) => `{ ${inner}\n}`),
    fc.tuple(tie('statement'), redirect).map(([inner, to]) => `{ ${inner}\n} ${to}`),
    fc.tuple(tie('statement'), redirect).map(([inner, to]) => `(${inner}\n) ${to}`),
    fc.tuple(tie('statement'), tie('statement')).map(([test, inner]) => `if ${test}\nthen ${inner}\nfi`),
    fc.tuple(tie('statement'), tie('statement'), tie('statement')).map(([test, yes, no]) => `if ${test}\nthen ${yes}\nelse ${no}\nfi`),
    fc.tuple(words, tie('statement')).map(([values, inner]) => `for X in ${values}; do ${inner}\ndone`),
    fc.tuple(words, word).map(([values, to]) => `for X in ${values}; do touch ${to}; done`),
    fc.tuple(tie('statement'), word).map(([inner, from]) => `while read -r X; do ${inner}\ndone < ${from}`),
    fc.tuple(words, tie('statement')).map(([values, inner]) => `printf '%s\\n' ${values} | while read -r X; do ${inner}\ndone`),
    fc.tuple(word, tie('statement')).map(([value, inner]) => `case ${value} in *) ${inner}\n;; esac`),
    tie('statement').map((inner) => `h() { ${inner}\n}; h a.txt`),
    fc.tuple(tie('statement'), word).map(([inner, value]) => `h() { ${inner}\n}; h ${value}`),
    tie('statement').map((inner) => `! ${inner}`),
    tie('statement').map((inner) => `echo "$(${inner}\n)"`),
    tie('statement').map((inner) => `X=$(${inner}\n)`),
    tie('statement').map((inner) => `cat <(${inner}\n)`),
    tie('statement').map((inner) => `echo a | tee >(${inner}\n)`),
    fc.tuple(tie('statement'), tie('statement')).map(([first, then]) => `${first}\n${then}`),
  ),
  statement: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 5, arbitrary: simple },
    { weight: 3, arbitrary: tie('list') },
    { weight: 1, arbitrary: tie('compound') },
  ),
}));

/** Letters in disguise: `t\ouch`, `'t'ouch`, `$'\x74'ouch`. */
const disguises = [
  (c: string) => `\\${c}`,
  (c: string) => `'${c}'`,
  (c: string) => `"${c}"`,
  (c: string) => `$'\\x${c.charCodeAt(0).toString(16)}'`,
];

const disguised = fc.tuple(statement, fc.nat(400), fc.constantFrom(...disguises)).map(([text, at, hide]) => {
  const letter = text[at];
  return letter !== undefined && /[a-z./]/u.test(letter) ? text.slice(0, at) + hide(letter) + text.slice(at + 1) : text;
});

export const shellCommand: fc.Arbitrary<string> = fc.oneof({ weight: 5, arbitrary: statement }, { weight: 1, arbitrary: disguised });
