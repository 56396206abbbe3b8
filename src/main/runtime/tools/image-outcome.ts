/** An image for the model, where the API accepts it. */
import { type ToolOutcome, toolError } from '../tool.ts'
import { sizeOf, withCommas } from './amounts.ts'
import type { ImageFacts } from './image-facts.ts'

/** The API accepts 5 MB of base64: four characters for three bytes. */
export const LARGEST_IMAGE = (5 * 1024 * 1024 * 3) / 4
/** Pixels per side. The API rejects a request with a larger image. */
export const LONGEST_SIDE = 8000

export function imageOutcome(shown: string, bytes: Uint8Array, { type, size }: ImageFacts): ToolOutcome {
  const kind = type.slice('image/'.length).toUpperCase()
  if (size === null)
    return toolError(`${shown} starts as a ${kind} image, but is truncated or damaged.`, 'damaged')
  const facts = `${withCommas(size.width)} × ${withCommas(size.height)} pixels, ${sizeOf(bytes.length)}`
  if (bytes.length > LARGEST_IMAGE || Math.max(size.width, size.height) > LONGEST_SIDE)
    return toolError(
      `${shown} is a ${kind} image of ${facts}: too large to show. The limit is ${sizeOf(LARGEST_IMAGE)} and ${withCommas(LONGEST_SIDE)} pixels per side. Make a smaller copy with a command and read the copy.`,
      'too large',
    )
  return {
    isError: false,
    content: [{ type: 'image', source: { type: 'base64', media_type: type, data: base64(bytes) } }],
    note: `${kind}, ${facts}`,
  }
}

function base64(bytes: Uint8Array): string {
  const pieces: string[] = []
  // In parts: the number of arguments of a call is limited.
  for (let start = 0; start < bytes.length; start += 0x8000)
    pieces.push(String.fromCharCode(...bytes.subarray(start, start + 0x8000)))
  return btoa(pieces.join(''))
}
