/** The verbs of `troupe`, in the order of the help. */
import type { Verbs } from './command-line.ts'
import { agentTestVerbs } from './features/agent-tests/verbs.ts'
import { changeVerbs } from './features/changes/verbs.ts'
import { conversationVerbs } from './features/conversations/verbs.ts'
import { agentVerbs } from './features/definitions/verbs.ts'
import { editorVerbs } from './features/editors/verbs.ts'
import { environmentVerbs } from './features/environments/verbs.ts'
import { programVerbs } from './features/external-agents/verbs.ts'
import { hookVerbs } from './features/hooks/verbs.ts'
import { insightVerbs } from './features/insight/verbs.ts'
import { mcpVerbs } from './features/mcp/verbs.ts'
import { modelVerbs } from './features/models/verbs.ts'
import { permissionVerbs } from './features/permissions/verbs.ts'
import { pluginVerbs } from './features/plugins/verbs.ts'
import { pullRequestVerbs } from './features/pull-requests/verbs.ts'
import { scheduleVerbs } from './features/run/schedules/verbs.ts'
import { runVerbs } from './features/run/verbs.ts'
import { searchVerbs } from './features/search/verbs.ts'
import { setupVerbs } from './features/setup/verbs.ts'
import { sharingVerbs } from './features/sharing/verbs.ts'
import { updateVerbs } from './features/updates/verbs.ts'
import { workerVerbs } from './features/workers/verbs.ts'
import { worktreeVerbs } from './features/worktrees/verbs.ts'

export const verbs: Verbs = [
  ...runVerbs,
  ...scheduleVerbs,
  ...editorVerbs,
  ...agentVerbs,
  ...agentTestVerbs,
  ...conversationVerbs,
  ...sharingVerbs,
  ...searchVerbs,
  ...insightVerbs,
  ...permissionVerbs,
  ...mcpVerbs,
  ...modelVerbs,
  ...setupVerbs,
  ...hookVerbs,
  ...changeVerbs,
  ...pluginVerbs,
  ...programVerbs,
  ...worktreeVerbs,
  ...environmentVerbs,
  ...pullRequestVerbs,
  ...workerVerbs,
  ...updateVerbs,
]
