/** An image file as the result of a call. */
import type { ImageFacts } from '../../../shared/image-facts.ts'
import { type ToolOutcome, toolError } from '../tool.ts'
import { sizeOf, withCommas } from './amounts.ts'
import { toBase64 } from './fit-images.ts'

export function imageOutcome(shown: string, bytes: Uint8Array, { type, size }: ImageFacts): ToolOutcome {
  const kind = type.slice('image/'.length).toUpperCase()
  if (size === null)
    return toolError(`${shown} starts as a ${kind} image, but is truncated or damaged.`, 'damaged')
  const facts = `${withCommas(size.width)} × ${withCommas(size.height)} pixels, ${sizeOf(bytes.length)}`
  return {
    isError: false,
    content: [{ type: 'image', source: { type: 'base64', media_type: type, data: toBase64(bytes) } }],
    note: `${kind}, ${facts}`,
  }
}
