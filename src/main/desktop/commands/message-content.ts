/** The content of a message from the window. */

import type { CommandInput } from '../../../shared/ipc/ipc-contract.ts'
import type { UserBlock } from '../../../shared/messages/content.ts'

export function contentOf({
  text,
  images,
}: Pick<CommandInput<'conversation.send'>, 'text' | 'images'>): readonly UserBlock[] {
  return [...images, ...(text.trim() === '' ? [] : [{ type: 'text' as const, text }])]
}

export const emptyMessage = {
  type: 'empty',
  message: 'The message is empty. Write something first.',
} as const
