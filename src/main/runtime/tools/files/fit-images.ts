/**
 * Images as the API takes them. One unreadable image makes the API refuse every later request of the conversation, so
 * each image is decoded before it is in a message, and a large one is made smaller.
 */

import { sizeOf, withCommas } from '../../../../shared/kernel/amounts.ts'
import { fail, ok, type Result } from '../../../../shared/kernel/result.ts'
import type { ImageBlock, ToolContent, UserBlock } from '../../../../shared/messages/content.ts'
import { fromBase64, type ImageFacts, imageFacts } from '../../../../shared/messages/image-facts.ts'
import type { DocumentReader, FittedImage } from '../../ports/documents.ts'
import type { ToolOutcome } from '../../ports/tool.ts'

/** The API accepts 5 MB of base64: four characters for three bytes. */
export const LARGEST_IMAGE = (5 * 1024 * 1024 * 3) / 4
/**
 * Pixels a side. The API takes 8,000, but only 2,000 in a request with more than 20 images, and a conversation may come to
 * that: an image that is made smaller later would have to be sent anew with all that follows it.
 */
const LONGEST_SIDE = 2000
/** An image with more pixels is not decoded: it would take too much memory. */
const MOST_PIXELS = 100_000_000

const LIMITS = { longestSide: LONGEST_SIDE, largestBytes: LARGEST_IMAGE }

type Reader = Pick<DocumentReader, 'image'> | undefined

/** The outcome of a call with its images as the API takes them. An image that can't be shown becomes text. */
export async function fitOutcome(
  outcome: ToolOutcome,
  documents: Reader,
  signal: AbortSignal,
): Promise<ToolOutcome> {
  const { content } = outcome
  if (typeof content === 'string' || !content.some(({ type }) => type === 'image')) return outcome
  const images = await Promise.all(
    content.map((block) => (block.type === 'image' ? fitImage(block, documents, signal) : null)),
  )
  const fitted = content.flatMap((block, at): readonly UserBlock[] => {
    const image = images[at]
    if (!image) return [block]
    return image.ok
      ? image.value
      : [{ type: 'text', text: `[An image was left out: ${image.failure.message}]` }]
  })
  const isLost = images.every((image) => image?.ok === false)
  const texts = fitted.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const plain: ToolContent = texts.length === fitted.length ? texts.join('\n\n') : fitted
  return isLost
    ? { ...outcome, isError: true, content: plain, note: 'not shown' }
    : { ...outcome, content: plain }
}

/** The user's message with its images as the API takes them. Fails with `bad-image`. */
export async function fitMessage(
  content: readonly UserBlock[],
  documents: Reader,
  signal: AbortSignal,
): Promise<Result<readonly UserBlock[]>> {
  const fitted: UserBlock[] = []
  for (const block of content) {
    if (block.type !== 'image') {
      fitted.push(block)
      continue
    }
    const image = await fitImage(block, documents, signal)
    if (!image.ok)
      return fail({
        type: 'bad-image',
        message: `An image of the message can’t be sent: ${image.failure.message} Remove it, or send another copy.`,
      })
    fitted.push(...image.value)
  }
  return ok(fitted)
}

/** The image, after a text about its former size if it was made smaller. The failure is a sentence. */
async function fitImage(
  block: ImageBlock,
  documents: Reader,
  signal: AbortSignal,
): Promise<Result<readonly UserBlock[]>> {
  const bytes = fromBase64(block.source.data)
  const facts = bytes === null ? null : imageFacts(bytes)
  if (bytes === null || facts === null)
    return damaged('It is no PNG, JPEG, GIF or WebP image, whatever its type says.')
  const { size } = facts
  if (size === null) return damaged('It is truncated or damaged.')
  if (size.width * size.height > MOST_PIXELS) return damaged(`It is too large: ${amountOf(facts, bytes)}.`)
  if (documents === undefined) return fitsAsIs(facts, bytes, block)
  const read = await documents.image(bytes, LIMITS, signal)
  if (!read.ok) return damaged(read.failure.message)
  const image = imageOf(read.value)
  return ok(
    read.value.width === size.width && read.value.height === size.height
      ? [image]
      : [
          {
            type: 'text',
            text: `[The image has ${amountOf(facts, bytes)}. It is shown with ${pixels(read.value)}.]`,
          },
          image,
        ],
  )
}

/** Without a decoder an image is judged by its first bytes alone. */
function fitsAsIs(
  facts: ImageFacts,
  bytes: Uint8Array,
  { source }: ImageBlock,
): Result<readonly UserBlock[]> {
  const side = Math.max(facts.size?.width ?? 0, facts.size?.height ?? 0)
  return bytes.length > LARGEST_IMAGE || side > LONGEST_SIDE
    ? damaged(`It is too large: ${amountOf(facts, bytes)}.`)
    : ok([{ type: 'image', source: { ...source, media_type: facts.type } }])
}

const imageOf = ({ type, bytes }: FittedImage): ImageBlock => ({
  type: 'image',
  source: { type: 'base64', media_type: type, data: toBase64(bytes) },
})

const pixels = ({ width, height }: { readonly width: number; readonly height: number }): string =>
  `${withCommas(width)} × ${withCommas(height)} pixels`

const amountOf = ({ size }: ImageFacts, bytes: Uint8Array): string =>
  `${size === null ? '' : `${pixels(size)}, `}${sizeOf(bytes.length)}`

const damaged = (message: string): Result<never> => fail({ type: 'damaged', message })

export function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = []
  // In parts: the number of arguments of a call is limited.
  for (let start = 0; start < bytes.length; start += 0x8000)
    pieces.push(String.fromCharCode(...bytes.subarray(start, start + 0x8000)))
  return btoa(pieces.join(''))
}
