/** Records the files that a call changes: their former content is kept before the call runs. */

import { mayChangeFiles } from '../permissions/decide-command.ts'
import { isProtected } from '../permissions/startup-files.ts'
import type { JournaledCall, RecordedChanges } from '../ports/changes.ts'
import type { Ports } from '../ports/ports.ts'
import { type ToolContext, type ToolOutcome, toolError } from '../ports/tool.ts'
import type { AgentRun, RunContext } from './agent-run.ts'
import type { Permit } from './permit-tool-call.ts'
import type { PreparedCall } from './prepare-tool-call.ts'

export type RecordChangesDeps = Pick<Ports, 'changes'>

interface PermittedCall {
  readonly call: PreparedCall
  readonly permit: Permit
}

/** Runs the call. A file whose content can't be kept is not written. */
export async function recordChanges(
  { agent, deps }: Pick<RunContext<RecordChangesDeps>, 'agent' | 'deps'>,
  permitted: PermittedCall,
  runCall: (more: Pick<ToolContext, 'holdChanges'>) => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const target = targetOf(permitted, agent)
  if (deps.changes === undefined || target === null) return runCall({})
  const { conversationId } = agent.subject()
  const opened = await deps.changes.begin({
    conversationId,
    agentId: agent.id,
    toolUseId: permitted.call.id,
    root: agent.session.root,
    target,
  })
  if (!opened.ok)
    return toolError(
      `Nothing was changed: Troupe could not keep the former content, which an undo needs. ${opened.failure.message} Tell the user.`,
      'not kept',
    )
  const finish = async () => {
    for (const changes of await opened.value.end()) {
      agent.emit({ type: 'files-changed', ...changes })
      if (changes.cause === 'command') tellProtected(changes, agent)
    }
  }
  let isHeld = false
  const holdChanges = () => {
    isHeld = true
    return finish
  }
  try {
    return await runCall({ holdChanges })
  } finally {
    if (!isHeld) await finish()
  }
}

/** Notices for each call; the list of changes has all files. */
const MOST_TOLD = 3

/** Tells the user of changed files that agents are told from, or that run something later. Tools ask before. */
function tellProtected({ files }: RecordedChanges, agent: AgentRun): void {
  for (const { path, shown } of files
    .filter((file) => isProtected(file.shown, file.path))
    .slice(0, MOST_TOLD))
    agent.emit({
      type: 'notice',
      level: 'warning',
      path,
      text: `A command changed ${shown}. Files of this name decide what agents are told or what runs later, so look at the change.`,
    })
}

/** Null: the call changes no files. */
function targetOf({ call, permit }: PermittedCall, { session }: AgentRun): JournaledCall['target'] | null {
  const { target, realPath } = permit
  if (!call.tool.sideEffects(call.input)) return null
  if (target.kind === 'write') return { kind: 'file', path: realPath ?? target.path }
  const folder = { kind: 'folder', path: session.cwd } as const
  if (target.kind === 'command')
    return mayChangeFiles(target.command, session.cwd) ? { ...folder, command: target.command } : null
  const isUnclear = target.kind === 'always-ask' || (target.kind === 'undeclared' && !target.onlyReads)
  return isUnclear ? folder : null
}
