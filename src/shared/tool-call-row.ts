/** How a tool call is drawn, as data: the window draws any tool from this, also one added after its release. */
import { z } from 'zod'

/** What a tool is for. */
export const toolKind = z.enum([
  'read',
  'search',
  'edit',
  'command',
  'agent',
  'message',
  'plan',
  'web',
  'other',
])
export type ToolKind = z.infer<typeof toolKind>

/** The pictures that the window has for tools. */
export const toolIcon = z.enum([
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
  /** The tool's name for people. */
  label: z.string(),
})
export type ToolCallRow = z.infer<typeof toolCallRow>
