/** Which child agents are at work for whom, as far as their runs have told. */
import type { AgentEvent } from '../agent/events.ts';

export interface Children {
  handle(lane: string, event: AgentEvent): void;
  /** The lane's turn is over, and with it whatever it had at work. */
  over(lane: string): void;
  running(lane: string): number;
}

export function createChildren(): Children {
  /** By lane: the child, and the call that has it at work. */
  const lanes = new Map<string, Map<string, string>>();
  const heard = (lane: string, { callId, child, event }: Extract<AgentEvent, { readonly type: 'child.event' }>): void => {
    const known = lanes.get(lane) ?? new Map<string, string>();
    lanes.set(lane, known);
    if (event.type === 'finished') known.delete(child);
    else known.set(child, callId);
  };
  const ended = (lane: string, call: string): void => {
    for (const [child, callId] of lanes.get(lane) ?? []) if (callId === call) lanes.get(lane)?.delete(child);
  };
  return {
    handle: (lane, event) => {
      if (event.type === 'child.event') heard(lane, event);
      else if (event.type === 'tool.finished') ended(lane, event.callId);
    },
    over: (lane) => void lanes.delete(lane),
    running: (lane) => lanes.get(lane)?.size ?? 0,
  };
}
