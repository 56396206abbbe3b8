/** What the thread for documents reads. Each reader loads its library, which is large, when it is called. */
import { fail, messageOf, ok, type Result, sentence } from '../../../shared/kernel/result.ts'
import { imageFacts } from '../../../shared/messages/image-facts.ts'
import type { FittedImage, ImageLimits, PdfText } from '../../runtime/ports/documents.ts'

const JPEG_QUALITY = 85
/** Of the sides, at each try to get below the bytes. */
const SMALLER = 0.75
const TRIES = 12

/** Decodes an image, and makes it smaller where it has more pixels or bytes than asked. Fails with `damaged` or `too-large`. */
export async function fitImage(bytes: Uint8Array, limits: ImageLimits): Promise<Result<FittedImage>> {
  const facts = imageFacts(bytes)
  if (facts === null) return fail({ type: 'damaged', message: 'It is no PNG, JPEG, GIF or WebP image.' })
  const { PhotonImage, resize, SamplingFilter } = await import('@cf-wasm/photon/node')
  const image = decoded(PhotonImage, bytes)
  if (!image.ok) return image
  const [width, height] = [image.value.get_width(), image.value.get_height()]
  const share = Math.min(1, limits.longestSide / Math.max(width, height))
  if (share === 1 && bytes.length <= limits.largestBytes)
    return ok({ type: facts.type, bytes, width, height })
  let factor = share
  for (let tries = 0; tries < TRIES; tries++, factor *= SMALLER) {
    const size = {
      width: Math.max(1, Math.floor(width * factor)),
      height: Math.max(1, Math.floor(height * factor)),
    }
    const small = resize(image.value, size.width, size.height, SamplingFilter.CatmullRom)
    // PNG keeps text sharp and what is transparent; only a photograph is too large as one.
    if (facts.type !== 'image/jpeg') {
      const png = small.get_bytes()
      if (png.length <= limits.largestBytes) return ok({ type: 'image/png', bytes: png, ...size })
    }
    const jpeg = small.get_bytes_jpeg(JPEG_QUALITY)
    if (jpeg.length <= limits.largestBytes) return ok({ type: 'image/jpeg', bytes: jpeg, ...size })
    small.free()
  }
  return fail({ type: 'too-large', message: 'It is too large.' })
}

type Photon = typeof import('@cf-wasm/photon/node')

function decoded(
  decoder: Photon['PhotonImage'],
  bytes: Uint8Array,
): Result<InstanceType<Photon['PhotonImage']>> {
  try {
    return ok(decoder.new_from_byteslice(bytes))
  } catch (thrown) {
    // The decoder ends with a trap, which says nothing about the image.
    const reason = messageOf(thrown)
    return fail({
      type: 'damaged',
      message: `It is truncated or damaged${reason === 'unreachable' ? '' : ` (${reason})`}.`,
    })
  }
}

/** The text of a PDF document: the pages from `first` to `last`, as far as they exist. Fails with `password` or `damaged`. */
export async function pdfText(
  bytes: Uint8Array,
  { first, last }: { readonly first: number; readonly last: number },
): Promise<Result<PdfText>> {
  const { getDocumentProxy } = await import('unpdf')
  try {
    // The library takes the buffer away, so it receives a copy.
    const document = await getDocumentProxy(bytes.slice(), { verbosity: 0 })
    try {
      const pages = []
      for (let number = first; number <= Math.min(last, document.numPages); number++)
        pages.push({ number, text: await textOfPage(document, number) })
      return ok({ totalPages: document.numPages, pages })
    } finally {
      await document.loadingTask.destroy()
    }
  } catch (thrown) {
    return thrown instanceof Error && thrown.name === 'PasswordException'
      ? fail({ type: 'password', message: 'The document is protected with a password.' })
      : fail({ type: 'damaged', message: `The document can't be read: ${sentence(messageOf(thrown))}` })
  }
}

type PdfDocument = Awaited<ReturnType<typeof import('unpdf')['getDocumentProxy']>>

async function textOfPage(document: PdfDocument, number: number): Promise<string> {
  const page = await document.getPage(number)
  const { items } = await page.getTextContent()
  const text = items.map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : '')).join('')
  page.cleanup()
  return text.replace(/[ \t]+$/gm, '').trim()
}
