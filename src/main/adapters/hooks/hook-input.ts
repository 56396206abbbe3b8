/** What a hook receives: the field names are those that people's scripts expect. */
import type { InterceptionPoint } from '../../../shared/agent-event.ts'
import type { ToolContent } from '../../../shared/content.ts'
import type { HookEvent } from '../../../shared/hooks.ts'
import type { InterceptedAgent, PointFacts } from '../../runtime/interceptors.ts'

/** A hook's input without the fields that all events share. `subject` is what the matcher is compared with. */
export interface EventInput {
  readonly event: HookEvent
  readonly subject: string
  readonly fields: Readonly<Record<string, unknown>>
}

type Describe = {
  readonly [P in InterceptionPoint]: (facts: PointFacts[P], agent: InterceptedAgent) => EventInput | null
}

const KINDS = {
  'permission-request': 'permission_prompt',
  form: 'elicitation_dialog',
  idle: 'idle_prompt',
} as const

/** Null: hooks have no such event. */
export const describePoint: Describe = {
  'tool-call': ({ tool, input, toolUseId }) => ({
    event: 'PreToolUse',
    subject: tool,
    fields: { tool_name: tool, tool_input: input, tool_use_id: toolUseId },
  }),
  // Existing hooks expect calls that succeeded: a formatter after Edit.
  'tool-result': ({ tool, input, toolUseId, isError, content }) =>
    isError
      ? null
      : {
          event: 'PostToolUse',
          subject: tool,
          fields: {
            tool_name: tool,
            tool_input: input,
            tool_response: responseOf(tool, input, content),
            tool_use_id: toolUseId,
          },
        },
  'user-message': ({ text }) => ({ event: 'UserPromptSubmit', subject: '', fields: { prompt: text } }),
  'subagent-start': ({ task, isResumed }, { type }) => ({
    event: 'SubagentStart',
    subject: type,
    fields: { prompt: task, source: isResumed ? 'resume' : 'startup' },
  }),
  'subagent-stop': ({ text, continuations }, { type }) => ({
    event: 'SubagentStop',
    subject: type,
    fields: { stop_hook_active: continuations > 0, last_assistant_message: text },
  }),
  'turn-end': ({ text, continuations }) => ({
    event: 'Stop',
    subject: '',
    fields: { stop_hook_active: continuations > 0, last_assistant_message: text },
  }),
  compaction: ({ instructions }) => {
    const trigger = instructions === null ? 'auto' : 'manual'
    return {
      event: 'PreCompact',
      subject: trigger,
      fields: { trigger, custom_instructions: instructions ?? '' },
    }
  },
  notification: ({ kind, text }) => ({
    event: 'Notification',
    subject: KINDS[kind],
    fields: { notification_type: KINDS[kind], message: text, title: 'Troupe' },
  }),
  'session-start': ({ isResumed }, { model }) => {
    const source = isResumed ? 'resume' : 'startup'
    return { event: 'SessionStart', subject: source, fields: { source, model } }
  },
  'session-end': ({ reason }) => {
    const said = reason === 'deleted' ? 'clear' : 'other'
    return { event: 'SessionEnd', subject: said, fields: { reason: said } }
  },
  'permission-request': ({ tool, input, toolUseId, because }) => ({
    event: 'PermissionRequest',
    subject: tool,
    fields: { tool_name: tool, tool_input: input, tool_use_id: toolUseId, message: because },
  }),
  'worktree-create': ({ path, branch }) => worktreeInput('WorktreeCreate', path, branch),
  'worktree-remove': ({ path, branch }) => worktreeInput('WorktreeRemove', path, branch),
}

function worktreeInput(event: HookEvent, path: string, branch: string): EventInput {
  return { event, subject: '', fields: { name: branch, branch, worktree_path: path } }
}

/** The whole input. */
export function hookInput({ event, fields }: EventInput, agent: InterceptedAgent): Record<string, unknown> {
  return {
    session_id: agent.conversationId,
    transcript_path: agent.transcriptPath,
    cwd: agent.cwd,
    permission_mode: agent.permissionMode,
    hook_event_name: event,
    agent_id: agent.id,
    agent_type: agent.type,
    parent_agent_id: agent.parentId,
    ...(event === 'SubagentStop' ? { agent_transcript_path: agent.transcriptPath } : {}),
    ...fields,
  }
}

function responseOf(tool: string, input: unknown, content: ToolContent): Record<string, unknown> {
  const text =
    typeof content === 'string'
      ? content
      : content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
  const path =
    typeof input === 'object' && input !== null && 'file_path' in input ? input.file_path : undefined
  return {
    success: true,
    content: text,
    ...(tool === 'Bash' ? { stdout: text, stderr: '', interrupted: false } : {}),
    ...(path === undefined ? {} : { filePath: path }),
  }
}
