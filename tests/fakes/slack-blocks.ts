/** Block Kit as far as cards need it, with its limits. https://docs.slack.dev/reference/block-kit/blocks */
import { MrkdwnError, parseMrkdwn } from './slack-mrkdwn.ts';
import { type Fields, nested, refuse } from './slack-refusal.ts';

const MOST_BLOCKS = 50;
const MOST_TOTAL = 13_200;
const SECTION_LIMIT = 3000;
const MOST_ELEMENTS = 25;
const BUTTON_LIMIT = 75;
const VALUE_LIMIT = 2000;
const ACTION_LIMIT = 255;

export interface FakeButton {
  readonly text: string;
  readonly action_id: string;
  readonly value: string;
}

export interface FakeBlocks {
  readonly text: string;
  readonly buttons: readonly FakeButton[];
}

/** Undefined where there are none. Throws SlackRefusal. */
export function blocksOf(fields: Fields): FakeBlocks | undefined {
  const blocks = nested(fields['blocks']);
  if (blocks === undefined) return undefined;
  if (!Array.isArray(blocks)) return refuse('invalid_blocks_format');
  if (blocks.length > MOST_BLOCKS) refuse('invalid_blocks', { response_metadata: { messages: ['[ERROR] no more than 50 items allowed'] } });
  const texts: string[] = [];
  const buttons: FakeButton[] = [];
  for (const block of blocks as unknown[]) {
    const { type, text, elements } = fieldsOf(block);
    if (type === 'section') texts.push(sectionText(fieldsOf(text)));
    else if (type === 'actions') buttons.push(...buttonsOf(elements));
    else if (type !== 'divider')
      refuse('invalid_blocks', { response_metadata: { messages: [`[ERROR] unsupported type: ${String(type)}`] } });
  }
  if (texts.join('').length + JSON.stringify(buttons).length > MOST_TOTAL) refuse('msg_blocks_too_long');
  if (new Set(buttons.map(({ action_id: id }) => id)).size < buttons.length) refuse('invalid_blocks');
  return { text: texts.join('\n'), buttons };
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function sectionText({ type, text }: Fields): string {
  if (typeof text !== 'string' || text === '' || text.length > SECTION_LIMIT) return refuse('invalid_blocks');
  if (type === 'plain_text') return text;
  if (type !== 'mrkdwn') return refuse('invalid_blocks');
  return strictly(text);
}

/** What is not as it should be is refused, although Slack would show something. */
export function strictly(mrkdwn: string): string {
  try {
    return parseMrkdwn(mrkdwn).text;
  } catch (error) {
    if (error instanceof MrkdwnError) return refuse('invalid_mrkdwn_in_test', { detail: error.message });
    throw error;
  }
}

function buttonsOf(elements: unknown): FakeButton[] {
  if (!Array.isArray(elements) || elements.length === 0 || elements.length > MOST_ELEMENTS) return refuse('invalid_blocks');
  return elements.map((element) => {
    const { type, text, action_id: action, value } = fieldsOf(element);
    const { type: textType, text: label } = fieldsOf(text);
    if (type !== 'button' || textType !== 'plain_text' || typeof label !== 'string') return refuse('invalid_blocks');
    if (label === '' || label.length > BUTTON_LIMIT || !label.isWellFormed()) refuse('invalid_blocks');
    if (typeof action !== 'string' || action.length > ACTION_LIMIT) return refuse('invalid_blocks');
    if (typeof value !== 'string' || value.length > VALUE_LIMIT) return refuse('invalid_blocks');
    return { text: label, action_id: action, value };
  });
}
