/** What parts of a V4A patch make of a text. `body` is what stands below "*** Update File". */
export interface HunkCase {
  readonly what: string;
  readonly text: string;
  readonly body: string;
  readonly result: string;
  readonly tolerance?: string;
}

const python = 'class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 1\n';

export const exactHunks: readonly HunkCase[] = [
  { what: 'a line between two others', text: 'a\nb\nc\n', body: '@@\n a\n-b\n+B\n c', result: 'a\nB\nc\n' },
  { what: 'a line without any around it', text: 'a\nb\nc\n', body: '@@\n-b\n+B', result: 'a\nB\nc\n' },
  { what: 'a part without "@@" before it', text: 'a\nb\n', body: ' a\n-b\n+B', result: 'a\nB\n' },
  { what: 'a line that goes', text: 'a\nb\nc\n', body: '@@\n a\n-b\n c', result: 'a\nc\n' },
  { what: 'a line that comes below another', text: 'a\nc\n', body: '@@\n a\n+b', result: 'a\nb\nc\n' },
  { what: 'a line that comes above another', text: 'a\nc\n', body: '@@\n+b\n c', result: 'a\nb\nc\n' },
  { what: 'the first line', text: 'a\nb\n', body: '@@\n-a\n+A\n b', result: 'A\nb\n' },
  { what: 'a new first line', text: 'a\n', body: '@@\n+z\n a', result: 'z\na\n' },
  { what: 'the last line', text: 'a\nb\n', body: '@@\n a\n-b\n+B', result: 'a\nB\n' },
  { what: 'every line', text: 'a\nb\n', body: '@@\n-a\n-b\n+x', result: 'x\n' },
  { what: 'every line by nothing', text: 'a\nb\n', body: '@@\n-a\n-b', result: '' },
  { what: 'several runs of lines in one part', text: 'a\nb\nc\nd\ne\n', body: '@@\n-a\n+A\n b\n-c\n-d\n+D\n e', result: 'A\nb\nD\ne\n' },
  { what: 'new lines before old ones', text: 'a\nb\nc\n', body: '@@\n a\n+x\n-b\n c', result: 'a\nx\nc\n' },
  { what: 'one line by several', text: 'a\nb\n', body: '@@\n-a\n+1\n+2\n+3\n b', result: '1\n2\n3\nb\n' },
  { what: 'several lines by one', text: 'a\nb\nc\n', body: '@@\n-a\n-b\n-c\n+x', result: 'x\n' },
  { what: 'a line that has only blanks before its text', text: '\tif x:\n', body: '@@\n-\tif x:\n+\tif y:', result: '\tif y:\n' },
  {
    what: 'lines that begin with the marks of a patch',
    text: '- item\n+ more\n',
    body: '@@\n-- item\n+- thing\n + more',
    result: '- thing\n+ more\n',
  },
  { what: 'lines that begin with "@@" and "***"', text: '@@ x\n*** y\n', body: '@@\n-@@ x\n+@@ z\n *** y', result: '@@ z\n*** y\n' },
  { what: 'blank lines whose blank the patch left out', text: 'a\n\nb\n', body: '@@\n a\n\n-b\n+c', result: 'a\n\nc\n' },
  { what: 'a blank line that goes', text: 'a\n\nb\n', body: '@@\n a\n-\n b', result: 'a\nb\n' },
  { what: 'a blank line that comes', text: 'a\nb\n', body: '@@\n a\n+\n b', result: 'a\n\nb\n' },
  {
    what: 'a patch with blank lines between its parts',
    text: 'a\nb\nc\nd\n',
    body: '@@\n-a\n+A\n\n@@\n-d\n+D\n\n',
    result: 'A\nb\nc\nD\n',
  },
  { what: 'an addition to an empty file', text: '', body: '@@\n+a\n+b', result: 'a\nb\n' },
  { what: 'replacement patterns of regular expressions taken literally', text: 'a\n', body: '@@\n-a\n+$& $1 $$', result: '$& $1 $$\n' },
];

export const manyHunks: readonly HunkCase[] = [
  { what: 'two parts', text: 'a\nb\nc\nd\n', body: '@@\n-a\n+A\n@@\n-d\n+D', result: 'A\nb\nc\nD\n' },
  { what: 'parts that touch each other', text: 'a\nb\n', body: '@@\n-a\n+A\n@@\n-b\n+B', result: 'A\nB\n' },
  { what: 'parts in another order than the file', text: 'a\nb\nc\nd\n', body: '@@\n-d\n+D\n@@\n-a\n+A', result: 'A\nb\nc\nD\n' },
  {
    what: 'parts that change how many lines there are',
    text: 'a\nb\nc\n',
    body: '@@\n-a\n+1\n+2\n@@\n-b\n@@\n-c\n+3\n+4\n+5',
    result: '1\n2\n3\n4\n5\n',
  },
  { what: 'the same lines twice, by order', text: 'x\na\nx\nb\n', body: '@@\n-x\n+1\n a\n@@\n-x\n+2', result: '1\na\n2\nb\n' },
  {
    what: 'the second of two places, because the part before it lies between them',
    text: 'x\nm\nx\n',
    body: '@@\n-m\n+M\n@@\n-x\n+y',
    result: 'x\nM\ny\n',
  },
  {
    what: 'ten parts',
    text: Array.from({ length: 30 }, (_, index) => `l${index}\n`).join(''),
    body: Array.from({ length: 10 }, (_, index) => `@@\n-l${index * 3}\n+L${index * 3}`).join('\n'),
    result: Array.from({ length: 30 }, (_, index) => (index % 3 === 0 ? `L${index}\n` : `l${index}\n`)).join(''),
  },
  { what: 'insertions at three places', text: 'a\nb\n', body: '@@\n+0\n a\n@@\n b\n+2', result: '0\na\nb\n2\n' },
];

export const placedHunks: readonly HunkCase[] = [
  {
    what: 'by a line above',
    text: python,
    body: '@@ class B:\n     def f(self):\n-        return 1\n+        return 2',
    result: python.replace(/1\n$/u, '2\n'),
  },
  {
    what: 'by a line above, with "@@" on both sides',
    text: python,
    body: '@@ class B: @@\n-        return 1\n+        return 2',
    result: python.replace(/1\n$/u, '2\n'),
  },
  {
    what: 'by the nearest line above',
    text: python,
    body: '@@ class A:\n-        return 1\n+        return 2',
    result: python.replace('1', '2'),
  },
  {
    what: 'by two lines, one in the other',
    text: python,
    body: '@@ class B:\n@@ def f(self):\n-        return 1\n+        return 2',
    result: python.replace(/1\n$/u, '2\n'),
  },
  {
    what: 'by a line above that it quotes, too',
    text: python,
    body: '@@ class B:\n class B:\n     def f(self):\n-        return 1\n+        return 2',
    result: python.replace(/1\n$/u, '2\n'),
  },
  {
    what: 'by the beginning of a line above',
    text: 'def one(a, b):\n  x\ndef two(a, b):\n  x\n',
    body: '@@ def two\n-  x\n+  y',
    result: 'def one(a, b):\n  x\ndef two(a, b):\n  y\n',
  },
  {
    what: 'by a part of a line above',
    text: 'async def one():\n  x\nasync def two():\n  x\n',
    body: '@@ two():\n-  x\n+  y',
    result: 'async def one():\n  x\nasync def two():\n  y\n',
  },
  { what: 'by the end of the file', text: 'x\na\nx\n', body: '@@\n-x\n+y\n*** End of File', result: 'x\na\ny\n' },
  { what: 'by the line number of a unified diff', text: 'x\na\nx\nb\nx\n', body: '@@ -3,1 +3,1 @@\n-x\n+y', result: 'x\na\ny\nb\nx\n' },
  {
    what: 'once only, whatever wrong line number stands before it',
    text: 'a\nb\nc\n',
    body: '@@ -77,1 +77,1 @@ f()\n-b\n+B',
    result: 'a\nB\nc\n',
  },
  { what: 'once only, although the line above is not there', text: 'a\nb\nc\n', body: '@@ def nowhere():\n-b\n+B', result: 'a\nB\nc\n' },
  { what: 'new lines below a named one', text: 'a\nb\n', body: '@@ a\n+x', result: 'a\nx\nb\n' },
  { what: 'new lines below a numbered one', text: 'a\nb\n', body: '@@ -1,0 +2,1 @@\n+x', result: 'a\nx\nb\n' },
  { what: 'new lines at the end', text: 'a\n', body: '@@\n+x\n*** End of File', result: 'a\nx\n' },
];

export const lineEndHunks: readonly HunkCase[] = [
  { what: 'a CRLF file', text: 'a\r\nb\r\nc\r\n', body: '@@\n a\n-b\n+B\n+BB\n c', result: 'a\r\nB\r\nBB\r\nc\r\n' },
  { what: 'a patch with CRLF on an LF file', text: 'a\nb\n', body: '@@\r\n a\r\n-b\r\n+B', result: 'a\nB\n' },
  { what: 'an insertion into a CRLF file', text: 'a\r\nb\r\n', body: '@@\n a\n+x', result: 'a\r\nx\r\nb\r\n' },
  { what: 'a removal from a CRLF file', text: 'a\r\nb\r\nc\r\n', body: '@@\n-b', result: 'a\r\nc\r\n' },
  {
    what: 'a mixed file, whose other lines stay as they are',
    text: 'a\r\nb\nc\r\nd\n',
    body: '@@\n a\n b\n-c\n+C\n d',
    result: 'a\r\nb\nC\r\nd\n',
  },
  { what: 'a CRLF file without a last line end', text: 'a\r\nb', body: '@@\n a\n-b\n+B\n+C', result: 'a\r\nB\r\nC' },
  { what: 'a file without a last line end', text: 'a\nb', body: '@@\n a\n-b\n+B', result: 'a\nB' },
  { what: 'an insertion below a last line without line end', text: 'a\nb', body: '@@\n b\n+c', result: 'a\nb\nc' },
  { what: 'a removed last line without line end', text: 'a\nb', body: '@@\n a\n-b', result: 'a\n' },
  { what: 'a byte order mark before a changed line', text: '\ufeffa\nb\n', body: '@@\n-a\n+A', result: '\ufeffA\nb\n' },
  { what: 'a byte order mark before a line that stays', text: '\ufeffa\r\nb\r\n', body: '@@\n a\n-b\n+B', result: '\ufeffa\r\nB\r\n' },
  { what: 'a byte order mark before a new first line', text: '\ufeffa\n', body: '@@\n+z\n a', result: '\ufeffz\na\n' },
  {
    what: 'the note of a unified diff about the last line end',
    text: 'a\nb',
    body: '@@\n-b\n\\ No newline at end of file\n+c\n\\ No newline at end of file',
    result: 'a\nc',
  },
];

export const forgivenHunks: readonly HunkCase[] = [
  {
    what: 'blanks at line ends, which stay',
    text: 'a  \nb\nc\t\n',
    body: '@@\n a\n-b\n+B\n c',
    result: 'a  \nB\nc\t\n',
    tolerance: 'blanks at line ends',
  },
  {
    what: 'typographic quotes, which stay',
    text: 'say “hi”\nb\n',
    body: '@@\n say "hi"\n-b\n+B',
    result: 'say “hi”\nB\n',
    tolerance: 'typographic characters',
  },
  {
    what: 'a decomposed letter',
    text: 'cafe\u0301\nb\n',
    body: '@@\n caf\u00e9\n-b\n+B',
    result: 'cafe\u0301\nB\n',
    tolerance: 'typographic characters',
  },
  {
    what: 'characters that cannot be seen',
    text: 'a\u200bb\nc\n',
    body: '@@\n ab\n-c\n+C',
    result: 'a\u200bb\nC\n',
    tolerance: 'typographic characters',
  },
  { what: 'an ellipsis', text: 'wait…\nb\n', body: '@@\n wait...\n-b\n+B', result: 'wait…\nB\n', tolerance: 'typographic characters' },
  {
    what: 'missing indentation, which new lines get',
    text: '    a()\n    b()\n',
    body: '@@\n a()\n-b()\n+c()\n+if d:\n+    e()',
    result: '    a()\n    c()\n    if d:\n        e()\n',
    tolerance: 'indentation',
  },
  {
    what: 'too much indentation',
    text: 'a()\nb()\n',
    body: '@@\n     a()\n-    b()\n+    c()',
    result: 'a()\nc()\n',
    tolerance: 'indentation',
  },
  {
    what: 'tabs where the patch has blanks',
    text: '\tif x:\n\t\ty()\n',
    body: '@@\n     if x:\n-        y()\n+        z()\n+            q()',
    result: '\tif x:\n\t\tz()\n\t\t\tq()\n',
    tolerance: 'indentation',
  },
  {
    what: 'blanks where the patch has tabs',
    text: '  if x:\n    y()\n',
    body: '@@\n \tif x:\n-\t\ty()\n+\t\tz()',
    result: '  if x:\n    z()\n',
    tolerance: 'indentation',
  },
  {
    what: 'four blanks a level where the patch has two',
    text: 'f {\n    a {\n        b\n    }\n}\n',
    body: '@@\n   a {\n-    b\n+    if {\n+      c\n+    }\n   }',
    result: 'f {\n    a {\n        if {\n            c\n        }\n    }\n}\n',
    tolerance: 'indentation',
  },
  {
    what: 'a level of its own for each line',
    text: '  a\n      b\n',
    body: '@@\n a\n-  b\n+  c',
    result: '  a\n      c\n',
    tolerance: 'indentation',
  },
  {
    what: 'spacing inside of lines',
    text: 'x   =  1\nb\n',
    body: '@@\n x = 1\n-b\n+B',
    result: 'x   =  1\nB\n',
    tolerance: 'spacing inside lines',
  },
  {
    what: 'escaped quotes, in new lines, too',
    text: 'say("hi")\n',
    body: '@@\n-say(\\"hi\\")\n+say(\\"ho\\")',
    result: 'say("ho")\n',
    tolerance: 'escaped characters',
  },
  {
    what: 'the middle of a block',
    text: 'begin {\n  const total = sum(items);\n  done(total);\n}\nx\n',
    body: '@@\n begin {\n   const total = sum(item);\n   done(total);\n-}\n+};',
    result: 'begin {\n  const total = sum(items);\n  done(total);\n};\nx\n',
    tolerance: 'the middle of the block',
  },
  {
    what: 'blanks at line ends in a CRLF file',
    text: 'a \r\nb\r\n',
    body: '@@\n a\n-b\n+B',
    result: 'a \r\nB\r\n',
    tolerance: 'blanks at line ends',
  },
  { what: 'the exact one of two that are alike', text: '  a\na\n', body: '@@\n-a\n+b', result: '  a\nb\n', tolerance: '' },
  {
    what: 'scripts of every kind',
    text: 'größe\n日本語 🎉\nend\n',
    body: '@@\n größe\n-日本語 🎉\n+中文 🎊',
    result: 'größe\n中文 🎊\nend\n',
    tolerance: '',
  },
];

export interface RefusedHunk {
  readonly what: string;
  readonly text: string;
  readonly body: string;
  readonly why: RegExp;
}

export const refusedHunks: readonly RefusedHunk[] = [
  {
    what: 'lines found twice, with both lines and what they stand below',
    text: 'def a():\n    x\ndef b():\n    x\n',
    body: '@@\n-    x\n+    y',
    why: /found at 2 places \(lines 2, 4\)[\s\S]*2\| x {3}\(below 1\| def a\(\):\)\n4\| x {3}\(below 3\| def b\(\):\)/u,
  },
  {
    what: 'lines found twice behind the part before them',
    text: 'a\nx\nx\n',
    body: '@@\n-a\n+A\n@@\n-x\n+y',
    why: /part 2 .*found at 2 places \(lines 2, 3\)/u,
  },
  {
    what: 'lines found twice below the named line that is there twice',
    text: 'f:\n x\nf:\n x\n',
    body: '@@ f:\n- x\n+ y',
    why: /found at 2 places \(lines 2, 4\)/u,
  },
  { what: 'lines alike in two places', text: ' x\n  x\n', body: '@@\n-x\n+y', why: /2 places \(lines 1, 2\)/u },
  {
    what: 'many places, of which some are named',
    text: 'x\n'.repeat(50),
    body: '@@\n-x\n+y',
    why: /50 places \(lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, \.\.\.\)/u,
  },
  { what: 'lines found twice in a CRLF file', text: 'x\r\na\r\nx\r\n', body: '@@\n-x\n+y', why: /lines 1, 3/u },
  {
    what: 'lines that are not there',
    text: 'a\nb\n',
    body: '@@\n-completely different\n+x',
    why: /not in the file \("completely different"\)/u,
  },
  {
    what: 'lines of which only the first is there, with where',
    text: 'a\nb\nc\n',
    body: '@@\n b\n-nothing\n+x',
    why: /Its first line is there:\n2\| b/u,
  },
  { what: 'lines in an empty file', text: '', body: '@@\n-a\n+b', why: /not in the file/u },
  { what: 'blank lines where no such are', text: 'a\nb\n', body: '@@\n \n-\n+x', why: /not in the file/u },
  {
    what: 'the same lines a second time',
    text: 'a\nb\n',
    body: '@@\n-a\n+A\n@@\n-a\n+Z',
    why: /only where another part of the patch has changed them/u,
  },
  { what: 'new lines that say nowhere', text: 'a\n', body: '@@\n+x', why: /does not say where/u },
  { what: 'new lines below a line that is not there', text: 'a\n', body: '@@ nothing here\n+x', why: /there is no line "nothing here"/u },
  { what: 'new lines below a line that is there twice', text: 'a\nb\na\n', body: '@@ a\n+x', why: /found at 2 places \(lines 1, 3\)/u },
  { what: 'two of three parts, both named', text: 'a\nb\n', body: '@@\n-a\n+A\n@@\n-q\n+Q\n@@\n-r\n+R', why: /part 2 [\s\S]*part 3 /u },
];

export const unreadable: readonly { what: string; patch: string; why: RegExp }[] = [
  { what: 'nothing', patch: '', why: /does not begin with/u },
  { what: 'no beginning', patch: '*** Update File: a\n-a\n+b\n*** End Patch', why: /does not begin with "\*\*\* Begin Patch"/u },
  { what: 'no end', patch: '*** Begin Patch\n*** Update File: a\n-a\n+b', why: /cut off/u },
  { what: 'an end before the beginning', patch: '*** End Patch\n*** Begin Patch', why: /cut off/u },
  { what: 'no file', patch: '*** Begin Patch\n*** End Patch', why: /names no file/u },
  { what: 'an empty name', patch: '*** Begin Patch\n*** Update File: \n-a\n+b\n*** End Patch', why: /Line 2 of the patch names no file/u },
  { what: 'lines before the first file', patch: '*** Begin Patch\n-a\n+b\n*** End Patch', why: /Line 2 of the patch stands before/u },
  {
    what: 'a line without a mark',
    patch: '*** Begin Patch\n*** Update File: a\n@@\n-a\nb\n+c\n*** End Patch',
    why: /patch line 5 begins with none of/u,
  },
  {
    what: 'an unknown verb',
    patch: '*** Begin Patch\n*** Update File: a\n-a\n*** Copy File: b\n*** End Patch',
    why: /patch line 4 begins with none of/u,
  },
  {
    what: 'an update that changes nothing',
    patch: '*** Begin Patch\n*** Update File: a\n@@\n a\n b\n*** End Patch',
    why: /changes nothing/u,
  },
  { what: 'an update without parts', patch: '*** Begin Patch\n*** Update File: a\n*** End Patch', why: /no changes below its name/u },
  {
    what: 'a new file with a line without "+"',
    patch: '*** Begin Patch\n*** Add File: a\n+a\nb\n*** End Patch',
    why: /begins with "\+" \(patch line 4: "b"\)/u,
  },
  { what: 'a deletion with lines', patch: '*** Begin Patch\n*** Delete File: a\n-a\n*** End Patch', why: /a deletion has no lines/u },
  { what: 'a move to nowhere', patch: '*** Begin Patch\n*** Move File: a\n*** End Patch', why: /from -> to/u },
  { what: 'a "Move to" without a name', patch: '*** Begin Patch\n*** Update File: a\n*** Move to: \n*** End Patch', why: /names no file/u },
];
