/** The control API, with what the owner asks for there on record. */
import { type AuditOptions, createAudit } from './audit.ts';
import type { Log } from './log.ts';
import type { ControlHandlers } from './status.ts';

export interface RecordOptions extends AuditOptions {
  readonly log: Log;
}

/** It happens also where it cannot be recorded: it may be what mends a full disk. */
export function recordedControl(handlers: ControlHandlers, options: RecordOptions): ControlHandlers {
  const audit = createAudit(options);
  const { log } = options;
  const note = (act: string): void => {
    try {
      audit.owner(act);
    } catch (error) {
      log.error({ err: error, act }, 'what the owner asked for could not be recorded (is the disk full?)');
    }
  };
  const { restart } = handlers;
  return {
    ...handlers,
    signInLink: () => {
      const link = handlers.signInLink();
      if (link !== undefined) note('sign-in link');
      return link;
    },
    ...(restart === undefined
      ? {}
      : {
          restart: () => {
            note('restart');
            restart();
          },
        }),
  };
}
