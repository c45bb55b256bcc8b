import { z } from 'zod';
import type { ConfigSection } from '../config/section.ts';

/** Only so that the key is known and told of: the rules need their order and their lines, which a schema does not have (load.ts). */
export const permissionsSection: ConfigSection<unknown> = {
  schema: z.unknown(),
  env: {},
  secrets: [],
  template: `# What the agent may do: a tool or a tool with a pattern, and allow, ask or deny. The last rule that matches wins. Without one the tool's own
# judgement of the danger decides; what may never be done is refused whatever stands here. The same may stand in permissions.yaml beside
# this file. "hermes permissions list" shows all rules, "hermes permissions check" explains which one decides.
# terminal(git push *): ask
# file.write(~/notes/**): allow
# browser.*: deny
# Where something else holds: by platform, chat_type (dm, group, channel), chat and role (owner, admin, user). These come after the rules above.
# overrides:
#   - chat_type: group
#     role: [admin, user]
#     rules:
#       terminal: deny
# In groups, what people who are not administrators have it do in the terminal, write into files and fetch from the web is asked about.
# Rules above only make that stricter, overrides may loosen it; false leaves it out.
# shipped_rules: true`,
};
