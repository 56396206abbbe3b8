/** A prompt that begins with a command of a file, with the command's text in its place. */
import type { ExternalAgent } from '../../../shared/external-agents/external-agent.ts'
import { ok, type Result } from '../../../shared/kernel/result.ts'
import type { UserBlock } from '../../../shared/messages/content.ts'
import { readSlashLine } from '../../../shared/slash/slash-line.ts'
import { firstLine } from '../../platform/acp/permissions.ts'
import { textContent } from '../../platform/acp/tool-calls.ts'
import type { AnyUpdate } from './child-sessions.ts'
import type { Editor, EditorContext } from './editor-context.ts'
import type { SessionUpdates } from './session-updates.ts'

export interface Expansion {
  readonly sessionId: string
  readonly mainAgentId: string
  readonly folder: string
  readonly slash: EditorContext['slash']
  readonly editor: Pick<Editor, 'askPermission'>
  readonly updates: SessionUpdates
  readonly show: (updates: readonly AnyUpdate[]) => void
  readonly newKey: () => string
  /** The commands of an external agent, which reads them itself. */
  readonly ofProgram: () => Promise<ExternalAgent['commands']>
}

interface ExpandedPrompt {
  readonly content: readonly UserBlock[]
  /** The command as the user typed it; missing: the prompt is none. */
  readonly typed?: string
}

/** Shell commands in the text are asked about. A prompt without a command is returned as it is. Fails as `expand` does. */
export async function expandedPrompt(
  content: readonly UserBlock[],
  expansion: Expansion,
  signal: AbortSignal,
): Promise<Result<ExpandedPrompt>> {
  const [first, ...others] = content
  const command = first?.type === 'text' ? readSlashLine(first.text) : null
  if (first?.type !== 'text' || command === null) return ok({ content })
  const line = first.text
  const { sessionId, mainAgentId, folder, slash } = expansion
  const agent = { conversationId: sessionId, agentId: mainAgentId }
  const expand = (approved: readonly string[]) => slash.expand({ folder, line, agent, approved }, signal)
  let expanded = await expand([])
  if (!expanded.ok && expanded.failure.type === 'needs-permission') {
    const commands = expanded.failure.commands ?? []
    if (await isAllowed(line, commands, expansion, signal)) expanded = await expand(commands)
  }
  if (expanded.ok)
    return ok({ content: [{ type: 'text', text: expanded.value.text }, ...others], typed: line })
  const isOfProgram = (await expansion.ofProgram()).some(({ name }) => name === command.name)
  return isOfProgram ? ok({ content }) : expanded
}

async function isAllowed(
  line: string,
  commands: readonly string[],
  { sessionId, editor, updates, show, newKey }: Expansion,
  signal: AbortSignal,
): Promise<boolean> {
  const toolCall = {
    toolCallId: `command-${newKey()}`,
    title: `${firstLine(line)} runs commands`,
    kind: 'execute' as const,
    status: 'pending' as const,
    content: [textContent(commands.map((command) => `    ${command}`).join('\n'))],
  }
  show(updates.begin(toolCall))
  const request = {
    sessionId,
    toolCall,
    options: [
      { optionId: 'allow', name: 'Run them', kind: 'allow_once' as const },
      { optionId: 'deny', name: 'Deny', kind: 'reject_once' as const },
    ],
  }
  const outcome = await editor.askPermission(request, signal).catch(() => ({ outcome: 'cancelled' as const }))
  const isRun = outcome.outcome === 'selected' && outcome.optionId === 'allow'
  show(updates.end(toolCall.toolCallId, isRun ? 'completed' : 'failed'))
  return isRun
}
