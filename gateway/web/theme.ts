import type { IconName } from './dom.ts';
import type { Shelf } from './storage.ts';

const CHOICES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof CHOICES)[number];

const KEY = 'hermes.theme';

export const THEMES: Readonly<Record<Theme, { readonly label: string; readonly icon: IconName }>> = {
  auto: { label: 'Theme: system', icon: 'auto' },
  light: { label: 'Theme: light', icon: 'sun' },
  dark: { label: 'Theme: dark', icon: 'moon' },
};

export function currentTheme(shelf: Shelf): Theme {
  const kept = shelf.read(KEY);
  return CHOICES.find((choice) => choice === kept) ?? 'auto';
}

export function applyTheme(theme: Theme): void {
  if (theme === 'auto') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}

export function nextTheme(shelf: Shelf): Theme {
  const next = CHOICES[(CHOICES.indexOf(currentTheme(shelf)) + 1) % CHOICES.length] ?? 'auto';
  shelf.write(KEY, next === 'auto' ? undefined : next);
  applyTheme(next);
  return next;
}
