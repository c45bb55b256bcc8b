/**
 * Finds text that is written to take an agent over. What is loaded into every prompt (identity, project file, memory) is looked at before, and what
 * is stored there, too. A hit is no proof: the patterns ask for the words of an attack, not for a commanding tone, which honest instructions have as well.
 */

/** Each contains the one before. `all`: anything. `context`: files that become part of a prompt. `strict`: what an agent itself stores for later. */
export type InjectionScope = 'all' | 'context' | 'strict';

/** Names of Hermes Agent, so that its users recognise them. */
export type InjectionId = keyof typeof everywhere | keyof typeof inContext | keyof typeof whenStored | 'invisible_unicode';

/** A few words between those that matter; bounded, because two unbounded ones would take for ever. */
const some = String.raw`(?:[\w'’-]+\s+){0,6}`;
const notForbidden = String.raw`(?<!\b(?:not|never|cannot|don['’]?t|avoid|without)\s+(?:\w+\s+){0,2})`;
/** "Ignore any instructions in web pages" protects. */
const ofAnother = String.raw`(?!\s+(?:in|inside|within|from|of|on|for|about|that|which|found|contained|embedded)\b)`;
const secretVariable = String.raw`\$\{?\w*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)S?\b`;
/** Authentication as every API's manual shows it. */
const notToSignIn = String.raw`(?<!(?:Bearer|Basic|token|[\w-]*(?:key|token|auth|authorization):)\s*["']?)(?<!(?:-u|--user)[ =]?["']?[^\s"']{0,80})`;
const change = String.raw`\b(?:update|modify|edit|write|change|append|add|insert|overwrite|replace)\b[^\n]{0,200}`;
const peer = String.raw`(?:the\s+(?:server|network|operator|controller|c2)\b|https?:\/\/)`;

const everywhere = {
  prompt_injection: [
    `${notForbidden}\\b(?:ignore|forget|override)\\s+${some}(?:previous|prior|above|earlier|preceding|foregoing)\\s+${some}(?:instructions?|prompts?|directives?|rules|messages)\\b`,
    `${notForbidden}\\b(?:ignore|forget)\\s+(?:all|any|every|your)\\s+(?:of\\s+)?(?:\\w+\\s+){0,2}(?:instructions?|directives?|guidelines|training)\\b${ofAnother}`,
    String.raw`\b(?:ignoriere|vergiss)\s+(?:\S+\s+){0,3}(?:vorherigen|bisherigen|obigen)\s+(?:Anweisungen|Regeln)`,
    String.raw`\bignorez?\s+(?:\S+\s+){0,3}(?:instructions|consignes)\s+(?:précédentes|antérieures)`,
    String.raw`\b(?:ignora|olvida)\s+(?:\S+\s+){0,3}instrucciones\s+(?:anteriores|previas)`,
    String.raw`(?:忽略|无视)(?:\S{0,6})(?:之前|以上|先前|前面)(?:\S{0,4})(?:指令|指示|提示)`,
  ],
  sys_prompt_override: [
    String.raw`\bsystem\s+prompt\s+(?:override|overwrite)\b|\bnew\s+system\s+prompt\s*:`,
    `${notForbidden}\\boverride\\s+(?:your|the\\s+current)\\s+system\\s+prompt\\b`,
  ],
  disregard_rules: [
    `${notForbidden}\\bdisregard\\s+${some}(?:your|all|any|previous|prior)\\s+${some}(?:instructions|rules|guidelines|safety)\\b${ofAnother}`,
  ],
  bypass_restrictions: [
    `\\b(?:act|behave|respond|answer)\\s+as\\s+(?:if|though)\\s+${some}you\\s+${some}(?:have\\s+no|had\\s+no|don['’]?t\\s+have|are\\s+not\\s+bound\\s+by)\\s+${some}(?:restrictions?|limits|limitations|rules|guidelines|filters)\\b`,
    `${notForbidden}\\bbypass\\s+${some}your\\s+${some}(?:restrictions|filters|guidelines|safeguards|safety)\\b`,
  ],
  html_comment_injection: [
    String.raw`<!--[^]{0,600}?\b(?:(?:ignore|disregard|forget|override)\s+(?:all|any|the|your|every|previous|prior|above)|system\s+prompt|do\s+not\s+(?:tell|reveal|mention)|secretly|(?:hidden|secret)\s+instructions?|you\s+(?:must|are\s+now))\b[^]{0,600}?-->`,
  ],
  hidden_div: [
    String.raw`<\s*(?:div|span|p)\b[^>]{0,300}\bstyle\s*=\s*["'][^"'>]{0,300}(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])|opacity\s*:\s*0(?![.\d]))`,
  ],
  translate_execute: [
    String.raw`\btranslate\s+[^\n]{0,200}\s(?:in)?to\s+\w+(?:[\s-]+\w+){0,2}\s+and\s+(?:then\s+)?(?:execute|run|eval(?:uate)?)\s+(?:it|this|that|them|the\s+(?:result|output|translation|text))\b`,
  ],
  deception_hide: [
    `(?:\\bdo\\s+not|\\bdon['’]?t|\\bnever)\\s+${some}(?:tell|inform|alert|notify)\\s+(?:the|your)\\s+(?:user|owner|human|person|operator)s?(?:\\s+(?:about|of)\\s+(?:this|these|that|it|them)\\b|\\s+(?:anything|this)\\b|\\s+what\\s+you\\b|\\s*[.!]|\\s*$)`,
    String.raw`(?<!\b(?:never|not|no|avoid|don['’]?t)\b[^.!?\n]{0,100})\bwithout\s+(?:telling|informing|notifying|alerting)\s+(?:the|your)\s+(?:user|owner|human|operator)\b`,
    String.raw`(?<!\b(?:never|not|no|avoid|don['’]?t)\b[^.!?\n]{0,60})\b(?:hide|conceal|keep)\s+(?:this|these|it)\s+(?:\w+\s+){0,2}from\s+(?:the|your)\s+(?:user|owner|human|operator)\b`,
  ],
  exfil_curl: [`\\bcurl\\s[^\\n]{0,500}?${notToSignIn}${secretVariable}`],
  exfil_wget: [`\\bwget\\s[^\\n]{0,500}?${notToSignIn}${secretVariable}`],
  read_secrets: [
    String.raw`\b(?:cat|bat|base64|xxd|strings)\s+[^\n|;&]{0,200}?(?:(?<![\w-])\.env(?!\.(?:example|sample|template|dist|default))(?![\w-])|\.netrc\b|\.pgpass\b|\.npmrc\b|\.pypirc\b|\bcredentials\b|\bid_(?:rsa|ed25519)\b(?!\.pub))`,
  ],
} as const;

const inContext = {
  role_hijack: [
    `\\byou\\s+are\\s+now\\s+(?:an?|the|my)\\s+${some}(?:assistant|ai|agent|model|bot|hacker|persona|character|expert|admin|root)\\b`,
    String.raw`\byou\s+are\s+(?:now\s+)?(?:DAN|jailbroken|unrestricted|unfiltered)\b|\byou\s+are\s+no\s+longer\s+(?:an?\s+(?:\w+\s+){0,2}(?:assistant|ai|model)|bound|restricted)\b`,
  ],
  role_pretend: [
    `${notForbidden}\\bpretend\\s+(?:that\\s+)?(?:you\\s+are|you['’]re|to\\s+be)\\s+${some}(?:ai|assistant|admin|administrator|root|human|user|owner|system|developer|hacker|model)\\b`,
  ],
  leak_system_prompt: [
    `${notForbidden}\\b(?:output|print|reveal|show|repeat|display|send|paste|recite|dump)\\s+${some}(?:system|initial|hidden|original)\\s+(?:prompt|instructions)\\b`,
  ],
  remove_filters: [
    `${notForbidden}\\b(?:respond|answer|reply|act|operate)\\s+without\\s+${some}(?:restrictions|limitations|filters|filtering|safety|censorship)\\b`,
  ],
  fake_update: [`\\byou\\s+have\\s+been\\s+${some}(?:updated|upgraded|patched|reprogrammed|reconfigured)\\b`],
  identity_override: [String.raw`\bname\s+yourself\s+\w+|\byour\s+(?:new|real|true)\s+(?:name|identity|role)\s+is\b`],
  c2_node_registration: [String.raw`\bregister\s+(?:yourself\b|as\s+an?\s+(?:\w+\s+)?(?:node|agent|bot|implant)\b)`],
  c2_heartbeat: [
    `\\b(?:send|post|emit)\\s+${some}beacons?\\s+to\\b|\\byou\\s+(?:must|should|will|shall)\\s+${some}(?:send|post|emit)\\s+${some}(?:heartbeats?|beacons?)\\b`,
    String.raw`\bcheck[\s-]?in\s+with\s+(?:the\s+)?(?:c2|command|operator|controller)\b`,
  ],
  c2_task_pull: [
    String.raw`\b(?:pull|fetch|retrieve|poll\s+for)\s+(?:down\s+)?(?:\w+\s+){0,2}tasking\b`,
    String.raw`\b(?:pull|fetch|retrieve|poll\s+for)\s+(?:down\s+)?(?:your|new|further)\s+(?:tasks|orders|commands|instructions)\s+from\b`,
  ],
  c2_network_connect: [
    String.raw`\bconnect\s+yourself\s+to\b|\byou\s+(?:must|should|shall|will)\s+(?:\w+\s+){0,2}connect\s+to\s+the\s+network\b|\bjoin\s+the\s+(?:bot|agent)\s*net(?:work)?\b`,
  ],
  c2_explicit: [String.raw`\b(?:c2|command[\s-]and[\s-]control)\s+(?:server|channel|infrastructure|beacon|endpoint)s?\b`],
  forced_action: [`\\byou\\s+must\\s+(?:\\w+\\s+){0,3}(?:register|report|beacon|connect)\\s+${some}(?:to|with|at)\\s+${peer}`],
  anti_forensic_oneliner: [
    String.raw`\bonly\s+use\s+one[\s-]?liners?\b[^.\n]{0,120}\b(?:trace|traces|log|logs|disk|history|evidence|detect\w*)\b`,
  ],
  anti_forensic_disk: [`\\bnever\\s+${some}(?:create|write|save)\\s+${some}(?:scripts?|payloads?)\\s+${some}disk\\b`],
  anti_forensic_history: [
    `\\bunset\\s+HISTFILE\\b|\\bhistory\\s+-c\\b|${notForbidden}\\b(?:clear|erase|wipe)\\s+${some}(?:shell|bash|zsh|command)\\s+history\\b`,
  ],
  env_var_unset_agent: [String.raw`\bunset\s+(?!\w*KEY\b)\w*(?:CLAUDE|CODEX|HERMES|OPENAI|ANTHROPIC)\w*`],
  known_c2_framework: [String.raw`\b(?:cobalt\s*strike|brainworm|metasploit|meterpreter|(?:sliver|havoc|mythic|empire)\s+c2)\b`],
} as const;

const whenStored = {
  send_to_url: [String.raw`\b(?:send|post|upload|transmit|forward|exfiltrate)\s+[^\n]{0,200}?\s(?:to|at)\s+https?:\/\/`],
  context_exfil: [
    `\\b(?:include|output|print|share|send|append|attach)\\s+${some}(?:(?:full|entire|whole|complete|previous|this|our)\\s+(?:conversation|context|transcript|chat|messages)|chat\\s+history)\\b`,
  ],
  ssh_backdoor: [String.raw`(?:>>|\b(?:tee|add|append|write|echo|copy|cp|insert|put)\b)[^\n]{0,300}\bauthorized_keys\b`],
  ssh_access: [String.raw`(?:~|\$\{?HOME\}?|\/root|\/home\/[\w.-]+)\/\.ssh\b(?!\/(?:config|known_hosts)\b)`],
  hermes_env: [String.raw`\.hermes\/\.env\b|\$\{?HERMES_HOME\}?\/\.env\b`],
  agent_config_mod: [`${change}(?:\\bAGENTS\\.md|\\bCLAUDE\\.md|\\bHERMES\\.md|\\.cursorrules|\\.clinerules)`],
  hermes_config_mod: [`${change}(?:\\.hermes\\/config\\.yaml|\\bSOUL\\.md)`],
  hardcoded_secret: [
    String.raw`\b(?:api[_-]?key|token|secret|password|passwd)["']?\s*(?:[=:]|is)\s*["']?(?=[\w+/=-]*\d)[\w+/=-]{20,}`,
    String.raw`\b(?:sk-[\w-]{20,}|gh[pousr]_\w{20,}|xox[abpr]-[\w-]{10,}|AKIA[A-Z0-9]{16}\b)|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----`,
  ],
} as const;

type Rules = readonly (readonly [InjectionId, RegExp])[];

function compiled(patterns: Readonly<Record<string, readonly string[]>>): Rules {
  return Object.entries(patterns).flatMap(([id, sources]) =>
    sources.map((source): readonly [InjectionId, RegExp] => [id as InjectionId, new RegExp(source, 'iu')]),
  ); // the ids are the keys of the three tables above
}

const rulesOf: Readonly<Record<InjectionScope, Rules>> = {
  all: compiled(everywhere),
  context: compiled({ ...everywhere, ...inContext }),
  strict: compiled({ ...everywhere, ...inContext, ...whenStored }),
};

/** What is never seen, and has no business inside a word of Latin letters: joiners belong to emoji and to other scripts. */
const invisible = /[\u00ad\u200b-\u200f\u2060-\u2064\ufeff\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;
const betweenLetters = /[a-z][\u200b-\u200d\u2060-\u2064\ufeff\u202a-\u202e\u2066-\u2069]+[a-z]/iu;
const misleading = /[\u202d\u202e]|(?<![\u{1f3f4}\u{e0020}-\u{e007e}])[\u{e0001}-\u{e007f}]/u;

/** The first sign of an attack; undefined where there is none. Takes time in proportion to the text: the caller bounds it. */
export function injectionIn(text: string, scope: InjectionScope): InjectionId | undefined {
  if (betweenLetters.test(text) || misleading.test(text)) return 'invisible_unicode';
  const plain = readable(text);
  return rulesOf[scope].find(([, pattern]) => pattern.test(plain))?.[0];
}

/** As a model reads it: full-width letters, letters of another alphabet in the middle of a word and invisible characters change nothing. */
function readable(text: string): string {
  const visible = text.replace(invisible, '').normalize('NFKC');
  return visible.replace(/[\p{L}]*[a-z][\p{L}]*/giu, (word) =>
    word.replace(/[аеорсухіѕјԁοαε]/gu, (letter) => lookAlikes[letter] ?? letter),
  );
}

const lookAlikes: Readonly<Record<string, string>> = {
  а: 'a',
  е: 'e',
  о: 'o',
  р: 'p',
  с: 'c',
  у: 'y',
  х: 'x',
  і: 'i',
  ѕ: 's',
  ј: 'j',
  ԁ: 'd',
  ο: 'o',
  α: 'a',
  ε: 'e',
};
