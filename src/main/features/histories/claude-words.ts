/** What the parts of the lines of Claude Code mean: whose words they are, what a row shows of a result, the tokens. */
import type { ToolDisplay, Usage } from '../../../shared/events/agent-event.ts'
import type { AssistantBlock } from '../../../shared/messages/content.ts'
import {
  type JsonObject,
  listIn,
  numberIn,
  objectIn,
  stringIn,
  textOfBlocks,
  wordSet,
} from './history-lines.ts'
import { diffDisplay, todosDisplay } from './history-parts.ts'
import type { CallResult } from './history-said.ts'

/** Kinds of lines that show something. */
export const SHOWN: ReadonlySet<string> = wordSet('user assistant system attachment')
/** Lines that are known, and show nothing. */
export const SILENT: ReadonlySet<string> = wordSet(`
  summary custom-title ai-title agent-name agent-color agent-setting tag last-prompt mode permission-mode
  pr-link worktree-state file-history-snapshot file-history-delta queue-operation progress
  content-replacement saved_hook_context attribution-snapshot speculation-accept result started
  bridge-session task-summary
`)
/** Kinds of system lines that are known, and show nothing. */
export const QUIET: ReadonlySet<string> = wordSet(`
  turn_duration stop_hook_summary bridge_status file_snapshot memory_saved thinking api_metrics
  microcompact_boundary away_summary scheduled_task_fire
`)
/** Colors of a terminal. */
export const ANSI = /\u001b\[[0-9;]*m/g

/** What a text is that the program wrote as the user’s, as a sentence. */
export function noteFor(text: string): string {
  if (text.includes('[Request interrupted by user')) return 'The user interrupted the agent.'
  if (text.includes('<task-notification>')) return 'An agent or a command in the background ended.'
  if (/<(local-command|bash)-/.test(text)) return 'The output of a command of the user.'
  return 'Claude Code added a note.'
}

/** Null: a kind of block that is not known. */
export function blockOf(block: JsonObject): AssistantBlock | null {
  switch (block['type']) {
    case 'text':
      return { type: 'text', text: stringIn(block['text']) }
    case 'thinking':
      return { type: 'thinking', thinking: stringIn(block['thinking']), signature: '' }
    case 'redacted_thinking':
      return { type: 'thinking', thinking: '', signature: '' }
    default:
      return null
  }
}

/** Null: the line says none. */
export function usageIn(value: unknown): Usage | null {
  const usage = objectIn(value)
  if (Object.keys(usage).length === 0) return null
  const forAnHour = numberIn(objectIn(usage['cache_creation'])['ephemeral_1h_input_tokens'])
  return {
    input: numberIn(usage['input_tokens']),
    output: numberIn(usage['output_tokens']),
    cacheRead: numberIn(usage['cache_read_input_tokens']),
    cacheWrite: Math.max(forAnHour, numberIn(usage['cache_creation_input_tokens'])),
    ...(forAnHour > 0 && { cacheWriteHour: forAnHour }),
  }
}

/** What the row shows of a result. */
export function displayOf(
  call: { readonly name: string; readonly input: JsonObject },
  details: JsonObject,
  { content, isError }: Pick<CallResult, 'content' | 'isError'>,
): ToolDisplay | null {
  if (call.name === 'Bash') {
    const code = isError ? /^(?:Error: )?Exit code (\d+)/.exec(textOfBlocks(content))?.[1] : '0'
    return { kind: 'terminal', exitCode: code === undefined ? null : Number(code), timedOut: false }
  }
  if (call.name === 'TodoWrite' && !isError) return todosDisplay(call.input['todos'])
  const hunks = listIn(details['structuredPatch'])
  const path = stringIn(details['filePath']) || stringIn(call.input['file_path'])
  if (isError || path === '' || !['Write', 'Edit', 'MultiEdit'].includes(call.name)) return null
  const whole = hunks.length === 0 && details['type'] === 'create' ? stringIn(details['content']) : null
  return diffDisplay(path, hunks, whole)
}

/** What the user typed; empty where the text is only what the program adds. */
export function typedWords(text: string): string {
  const command = /<command-name>([^<]*)<\/command-name>/.exec(text)?.[1]
  if (command !== undefined) return `${command} ${/<command-args>([^<]*)/.exec(text)?.[1] ?? ''}`.trim()
  return ADDED.test(text) ? '' : text.replaceAll(REMINDER, '').trim()
}

const REMINDER = /<system-reminder>[\s\S]*?<\/system-reminder>/g
/** Texts that begin so are not the user's. */
export const ADDED =
  /^\s*(<local-command-|<bash-(?!input)|<task-notification>|<cross-session-message|Caveat: The messages below|\[Request interrupted by user)/
