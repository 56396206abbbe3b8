/** The lines of Codex, in all their forms, as one. */

import type { ToolDisplay, Usage } from '../../../shared/events/agent-event.ts'
import { jsonOrUndefined } from '../../../shared/kernel/json.ts'
import {
  type JsonObject,
  listIn,
  numberIn,
  objectIn,
  promptTitle,
  stringIn,
  textOfBlocks,
  timeIn,
  wordSet,
} from './history-lines.ts'
import { todosDisplay } from './history-parts.ts'

interface CodexLine {
  /** `session_meta`, `response_item`, `event_msg`, `turn_context`, `compacted`; another word: unknown. */
  readonly kind: string
  readonly payload: JsonObject
  /** ms since the epoch; null: the line does not say. */
  readonly at: number | null
}

/** Newer lines have an envelope `{ timestamp, type, payload }`; older ones are the payload itself. */
export function codexLine(value: JsonObject): CodexLine {
  const at = timeIn(value['timestamp'])
  const type = stringIn(value['type'])
  if (value['payload'] !== undefined) return { kind: type, payload: objectIn(value['payload']), at }
  if (value['record_type'] !== undefined) return { kind: 'state', payload: value, at }
  if (type === '') return { kind: value['id'] === undefined ? 'unknown' : 'session_meta', payload: value, at }
  return { kind: ITEMS.has(type) ? 'response_item' : type, payload: value, at }
}

const ITEMS: ReadonlySet<string> = wordSet(`
  message reasoning function_call function_call_output local_shell_call local_shell_call_output
  custom_tool_call custom_tool_call_output web_search_call ghost_snapshot compaction
`)

/** Whether a text is the user's, and not what Codex adds to a conversation. */
export const isCodexPrompt = (text: string): boolean => text.trim() !== '' && !ADDED_BY_CODEX.test(text)

const ADDED_BY_CODEX =
  /^\s*(<(environment_context|user_instructions|permissions|turn_aborted|skills?|collaboration_mode|INSTRUCTIONS|subagent_notification|personality_spec|user_shell_command|apps_instructions)\b|# AGENTS\.md instructions for )/

/** The tokens of a count; the input of Codex includes what was read from the cache. */
export function codexUsage(value: unknown): Usage {
  const usage = objectIn(value)
  const [input, cached] = [numberIn(usage['input_tokens']), numberIn(usage['cached_input_tokens'])]
  return {
    input: Math.max(0, input - cached),
    output: numberIn(usage['output_tokens']),
    cacheRead: Math.min(input, cached),
    cacheWrite: 0,
  }
}

/** What a call showed, and how it ended. `exitCode`: null: unknown, or no command. */
export function codexOutput(value: unknown): {
  readonly text: string
  readonly exitCode: number | null
  readonly isError: boolean
} {
  if (typeof value === 'string' && value.startsWith('{')) {
    try {
      const parsed = objectIn(JSON.parse(value))
      if (parsed['output'] !== undefined) {
        const code = objectIn(parsed['metadata'])['exit_code']
        const exitCode = typeof code === 'number' ? Math.trunc(code) : null
        return { text: textOf(parsed['output']), exitCode, isError: exitCode !== null && exitCode !== 0 }
      }
    } catch {
      // It only looks like JSON.
    }
  }
  const object = objectIn(value)
  const text = textOf(object['content'] ?? object['output'] ?? value)
  const code = /^(?:Chunk ID:.*\n)?(?:Wall time:.*\n)?(?:Exit code:|Process exited with code) (-?\d+)/.exec(
    text,
  )?.[1]
  const exitCode = code === undefined ? null : Number(code)
  return { text, exitCode, isError: object['success'] === false || (exitCode !== null && exitCode !== 0) }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : textOfBlocks(listIn(value)))

/** The files of a patch, and its changed lines. */
export function codexPatch(patch: string): {
  readonly files: readonly string[]
  readonly added: number
  readonly removed: number
} {
  const lines = patch.split('\n')
  return {
    files: lines.flatMap((line) => /^\*\*\* (?:Add|Update|Delete) File: (.+)$/.exec(line)?.[1] ?? []),
    added: lines.filter((line) => line.startsWith('+')).length,
    removed: lines.filter((line) => line.startsWith('-')).length,
  }
}

/** Kinds of lines, events and items that are known, and show nothing: the rest says the same. */
export const CODEX_SILENT: ReadonlySet<string> = wordSet(`
  state world_state session_state token_usage inter_agent_communication agent_message agent_reasoning
  agent_reasoning_raw_content agent_reasoning_section_break task_started turn_started exec_command_begin
  exec_command_output_delta patch_apply_begin patch_apply_end mcp_tool_call_begin mcp_tool_call_end
  web_search_begin web_search_end turn_diff plan_update item_started item_completed thread_name_updated
  session_configured background_event undo_completed view_image_tool_call image_generation_begin
  image_generation_end exited_review_mode plan_delta collab_agent_spawn_begin
  collab_agent_interaction_begin collab_agent_interaction_end collab_waiting_begin collab_waiting_end
  collab_close_begin collab_close_end thread_settings_applied guardian_assessment ghost_snapshot compaction
  compaction_summary context_compaction thread_goal_updated sub_agent_activity
`)

/** The call of a tool as a transcript has it; null: the item is none. */
export function codexCall(
  item: JsonObject,
): { readonly id: string; readonly name: string; readonly input: unknown } | null {
  const { type } = item
  const id = stringIn(item['call_id']) || stringIn(item['id'])
  const name = stringIn(item['name'])
  if (type === 'local_shell_call') return { id, name: 'shell', input: objectIn(item['action']) }
  if (type === 'custom_tool_call') return { id, name, input: patchInput(item) }
  if (type !== 'function_call') return null
  const text = stringIn(item['arguments'])
  const input = jsonOrUndefined(text) ?? { arguments: text }
  if (name !== 'spawn_agent') return { id, name, input }
  const asked = objectIn(input)
  const prompt = stringIn(asked['message']) || stringIn(asked['prompt'])
  const given = { description: promptTitle(prompt), prompt, subagent_type: stringIn(asked['agent_type']) }
  return { id, name: 'Agent', input: given }
}

/** A patch is a text; the row shows its first file. */
function patchInput(item: JsonObject): JsonObject {
  const input = stringIn(item['input'])
  if (item['name'] !== 'apply_patch') return { input }
  const { files } = codexPatch(input)
  return { ...(files[0] !== undefined && { path: files.join(', ') }), patch: input }
}

/** What the row shows of a call that has ended; null: its text is all. */
export function displayOfCall(
  { name, input }: { readonly name: string; readonly input: JsonObject },
  exitCode: number | null,
): ToolDisplay | null {
  if (/^(shell|shell_command|exec_command|local_shell)$/.test(name))
    return { kind: 'terminal', exitCode, timedOut: false }
  return name === 'update_plan' ? todosDisplay(input['plan'], 'step') : null
}

/** Images of Codex are addresses with the data in them. */
export function imagesIn(content: unknown): unknown {
  if (!Array.isArray(content)) return content
  return content.map((block: unknown) => {
    const { type, image_url: url } = objectIn(block)
    const data = /^data:(image\/(?:png|jpeg|gif|webp));base64,(.+)$/.exec(stringIn(url))
    if (type !== 'input_image') return block
    return data === null
      ? { type: 'image' }
      : { type: 'image', source: { type: 'base64', media_type: data[1], data: data[2] } }
  })
}
