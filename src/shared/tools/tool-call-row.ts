/** The display of a tool call, as data: the window draws any tool from it, including tools added after a release. */
import { z } from 'zod'

/** The purpose of a tool. */
const toolKind = z.enum(['read', 'search', 'edit', 'command', 'agent', 'message', 'plan', 'web', 'other'])
export type ToolKind = z.infer<typeof toolKind>

/** The window's icons for tools. */
const toolIcon = z.enum([
  'file',
  'file-add',
  'file-edit',
  'folder-search',
  'search',
  'terminal',
  'globe',
  'list',
  'skill',
  'mail',
  'people',
  'question',
  'book',
  'plug',
  'tool',
])
export type ToolIcon = z.infer<typeof toolIcon>

export const toolCallRow = z.object({
  kind: toolKind,
  icon: toolIcon,
  /** The tool's display name. */
  label: z.string(),
})
export type ToolCallRow = z.infer<typeof toolCallRow>
