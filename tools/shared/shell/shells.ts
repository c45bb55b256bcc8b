const SHELLS = new Set([
  'sh',
  'bash',
  'zsh',
  'dash',
  'ksh',
  'mksh',
  'ash',
  'fish',
  'hush',
  'csh',
  'tcsh',
  'rbash',
  'yash',
  'pwsh',
  'posh',
  'osh',
  'ysh',
]);

export function isShell(name: string): boolean {
  return SHELLS.has(name);
}
