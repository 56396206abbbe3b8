/** Decodes an image, and makes it smaller where it has more pixels or bytes than asked. */
import { PhotonImage, resize, SamplingFilter } from '@cf-wasm/photon/node'
import { fail, messageOf, ok, type Result } from '../../../shared/kernel/result.ts'
import { imageFacts } from '../../../shared/messages/image-facts.ts'
import type { FittedImage, ImageLimits } from '../../runtime/ports/documents.ts'

const JPEG_QUALITY = 85
/** Of the sides, at each try to get below the bytes. */
const SMALLER = 0.75
const TRIES = 12

export function fitImage(bytes: Uint8Array, limits: ImageLimits): Result<FittedImage> {
  const facts = imageFacts(bytes)
  if (facts === null) return fail({ type: 'damaged', message: 'It is no PNG, JPEG, GIF or WebP image.' })
  const image = decoded(bytes)
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

function decoded(bytes: Uint8Array): Result<PhotonImage> {
  try {
    return ok(PhotonImage.new_from_byteslice(bytes))
  } catch (thrown) {
    // The decoder ends with a trap, which says nothing about the image.
    const reason = messageOf(thrown)
    return fail({
      type: 'damaged',
      message: `It is truncated or damaged${reason === 'unreachable' ? '' : ` (${reason})`}.`,
    })
  }
}
