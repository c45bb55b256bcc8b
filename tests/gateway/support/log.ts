import type { Log } from '../../../gateway/log.ts';

export interface Line {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly facts: object;
  readonly message: string;
}

export interface MemoryLog extends Log {
  readonly lines: readonly Line[];
}

export function memoryLog(): MemoryLog {
  const lines: Line[] = [];
  const at = (level: Line['level']) => (facts: object, message: string) => void lines.push({ level, facts, message });
  return { lines, debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
