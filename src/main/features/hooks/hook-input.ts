/** What a hook receives: the field names are those that people's scripts expect. */
import { basename } from 'node:path'
import type { InterceptionPoint } from '../../../shared/events/agent-event.ts'
import type { HookEvent } from '../../../shared/hooks/hooks.ts'
import type { ToolContent } from '../../../shared/messages/content.ts'
import type { InterceptionSubject, PointFacts } from '../../runtime/ports/interceptors.ts'

/** A hook's input without the fields that all events share. `subject` is what the matcher is compared with. */
export interface EventInput {
  readonly event: HookEvent
  readonly subject: string
  readonly fields: Readonly<Record<string, unknown>>
}

type Describe = {
  readonly [P in InterceptionPoint]: (facts: PointFacts[P], agent: InterceptionSubject) => EventInput | null
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
  'tool-result': ({ tool, input, toolUseId, isError, content }) =>
    isError
      ? {
          event: 'PostToolUseFailure',
          subject: tool,
          fields: {
            tool_name: tool,
            tool_input: input,
            tool_use_id: toolUseId,
            error: textOfContent(content),
            is_interrupt: false,
          },
        }
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
  'permission-denied': ({ tool, input, toolUseId, because }) => ({
    event: 'PermissionDenied',
    subject: tool,
    fields: { tool_name: tool, tool_input: input, tool_use_id: toolUseId, reason: because },
  }),
  'worktree-create': ({ path, branch }) => worktreeInput('WorktreeCreate', path, branch),
  'worktree-remove': ({ path, branch }) => worktreeInput('WorktreeRemove', path, branch),
  'turn-failed': ({ type, message, text }) => {
    const error = FAILURES[type] ?? 'unknown'
    const fields = { error, error_details: message, last_assistant_message: text }
    return { event: 'StopFailure', subject: error, fields }
  },
  compacted: ({ instructions, summary }) => {
    const trigger = instructions === null ? 'auto' : 'manual'
    return { event: 'PostCompact', subject: trigger, fields: { trigger, compact_summary: summary } }
  },
  'task-created': (task, agent) => taskInput('TaskCreated', task, agent),
  'task-completed': (task, agent) => taskInput('TaskCompleted', task, agent),
  'member-idle': (_facts, agent) => ({ event: 'TeammateIdle', subject: '', fields: memberOf(agent) }),
  'instructions-loaded': ({ path, scope, reason }) => ({
    event: 'InstructionsLoaded',
    subject: reason,
    fields: { file_path: path, memory_type: MEMORY_TYPES[scope] ?? 'Project', load_reason: reason },
  }),
  elicitation: (facts) => elicitationInput('Elicitation', facts, {}),
  'elicitation-answered': ({ action, values, ...facts }) =>
    elicitationInput('ElicitationResult', facts, { action, content: values }),
  'folder-changed': ({ from, to }) => ({
    event: 'CwdChanged',
    subject: '',
    fields: { old_cwd: from, new_cwd: to },
  }),
  'file-changed': ({ path, change }) => ({
    event: 'FileChanged',
    subject: basename(path),
    fields: { file_path: path, event: change },
  }),
  'settings-changed': ({ path, source }) => ({
    event: 'ConfigChange',
    subject: source,
    fields: { source, file_path: path },
  }),
}

/** The public names of the runtime's kinds of failure; others are `unknown`. */
const FAILURES: Readonly<Record<string, string>> = {
  'rate-limited': 'rate_limit',
  overloaded: 'overloaded',
  server: 'server_error',
  stalled: 'server_error',
  auth: 'authentication_failed',
  'not-found': 'model_not_found',
  'bad-request': 'invalid_request',
  'prompt-too-long': 'invalid_request',
  'context-full': 'invalid_request',
  'output-limit': 'max_output_tokens',
}

const MEMORY_TYPES: Readonly<Record<string, string>> = { user: 'User', local: 'Local', agent: 'User' }

const memberOf = ({ name, team }: InterceptionSubject) => ({ teammate_name: name, team_name: team })

function taskInput(
  event: HookEvent,
  { id, subject, description }: PointFacts['task-created'],
  agent: InterceptionSubject,
): EventInput {
  const fields = { task_id: id, task_subject: subject, task_description: description, ...memberOf(agent) }
  return { event, subject: '', fields }
}

function elicitationInput(
  event: HookEvent,
  { server, message, url, schema }: PointFacts['elicitation'],
  more: Readonly<Record<string, unknown>>,
): EventInput {
  const asked = url === null ? { mode: 'form', requested_schema: schema } : { mode: 'url', url }
  return { event, subject: server, fields: { mcp_server_name: server, message, ...asked, ...more } }
}

function worktreeInput(event: HookEvent, path: string, branch: string): EventInput {
  return { event, subject: '', fields: { name: branch, branch, worktree_path: path } }
}

/** The whole input. */
export function hookInput(
  { event, fields }: EventInput,
  agent: InterceptionSubject,
): Record<string, unknown> {
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

const textOfContent = (content: ToolContent): string =>
  typeof content === 'string'
    ? content
    : content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')

function responseOf(tool: string, input: unknown, content: ToolContent): Record<string, unknown> {
  const text = textOfContent(content)
  const path =
    typeof input === 'object' && input !== null && 'file_path' in input ? input.file_path : undefined
  return {
    success: true,
    content: text,
    ...(tool === 'Bash' ? { stdout: text, stderr: '', interrupted: false } : {}),
    ...(path === undefined ? {} : { filePath: path }),
  }
}
