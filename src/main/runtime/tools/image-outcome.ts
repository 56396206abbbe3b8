/** A picture for the model, if it is one that the model can take. */
import { type ToolOutcome, toolError } from '../tool.ts'
import { sizeOf, withCommas } from './amounts.ts'
import type { ImageFacts } from './image-facts.ts'

/** The API takes 5 MB of base64, in which three bytes are four characters. */
const LARGEST_IMAGE = (5 * 1024 * 1024 * 3) / 4
/** Pixels to a side: more makes the API refuse the whole request. */
const LONGEST_SIDE = 8000

export function imageOutcome(shown: string, bytes: Uint8Array, { type, size }: ImageFacts): ToolOutcome {
  const kind = type.slice('image/'.length).toUpperCase()
  if (size === null)
    return toolError(`${shown} begins like a ${kind} picture, but is cut off or damaged.`, 'damaged')
  const facts = `${withCommas(size.width)} × ${withCommas(size.height)} pixels, ${sizeOf(bytes.length)}`
  if (bytes.length > LARGEST_IMAGE || Math.max(size.width, size.height) > LONGEST_SIDE)
    return toolError(
      `${shown} is a ${kind} picture of ${facts}: too large to be shown. At most ${sizeOf(LARGEST_IMAGE)} and ${withCommas(LONGEST_SIDE)} pixels a side can be; make a smaller copy with a command and read that.`,
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
  // In parts: a call takes only so many arguments.
  for (let start = 0; start < bytes.length; start += 0x8000)
    pieces.push(String.fromCharCode(...bytes.subarray(start, start + 0x8000)))
  return btoa(pieces.join(''))
}
