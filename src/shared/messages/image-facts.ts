/** Type and size of the images that the API accepts, from their first bytes. */

type ImageType = 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'

export interface ImageFacts {
  readonly type: ImageType
  /** In pixels; null if the image is truncated or damaged. */
  readonly size: { readonly width: number; readonly height: number } | null
}

/** Null for other data. */
export function imageFacts(bytes: Uint8Array): ImageFacts | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (const [type, starts, measure] of KINDS) if (starts(view)) return { type, size: sane(measure(view)) }
  return null
}

type Measure = (view: DataView) => readonly [width: number, height: number] | null

const KINDS: readonly (readonly [ImageType, (view: DataView) => boolean, Measure])[] = [
  ['image/png', (view) => is(view, 0, '\x89PNG\r\n\x1a\n'), pngSize],
  ['image/jpeg', (view) => is(view, 0, '\xff\xd8\xff'), jpegSize],
  ['image/gif', (view) => is(view, 0, 'GIF87a') || is(view, 0, 'GIF89a'), gifSize],
  ['image/webp', (view) => is(view, 0, 'RIFF') && is(view, 8, 'WEBP'), webpSize],
]

function pngSize(view: DataView) {
  return holds(view, 24) && is(view, 12, 'IHDR') ? ([view.getUint32(16), view.getUint32(20)] as const) : null
}

function gifSize(view: DataView) {
  return holds(view, 10) ? ([view.getUint16(6, true), view.getUint16(8, true)] as const) : null
}

/** Walks the segments to the one that starts the frame. */
function jpegSize(view: DataView) {
  for (let at = 2; holds(view, at + 9); ) {
    if (view.getUint8(at) !== 0xff) return null
    const marker = view.getUint8(at + 1)
    const startsFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (startsFrame) return [view.getUint16(at + 7), view.getUint16(at + 5)] as const
    // Fill bytes, and markers without content.
    if (marker === 0xff) at += 1
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2
    else at += 2 + view.getUint16(at + 2)
  }
  return null
}

function webpSize(view: DataView) {
  if (!holds(view, 30)) return null
  if (is(view, 12, 'VP8 '))
    return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff] as const
  if (is(view, 12, 'VP8L')) {
    const bits = view.getUint32(21, true)
    return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1] as const
  }
  if (!is(view, 12, 'VP8X')) return null
  const three = (at: number) => view.getUint16(at, true) + (view.getUint8(at + 2) << 16) + 1
  return [three(24), three(27)] as const
}

function sane(size: readonly [number, number] | null): ImageFacts['size'] {
  return size !== null && size[0] > 0 && size[1] > 0 ? { width: size[0], height: size[1] } : null
}

function holds(view: DataView, length: number): boolean {
  return view.byteLength >= length
}

function is(view: DataView, offset: number, text: string): boolean {
  if (!holds(view, offset + text.length)) return false
  for (let index = 0; index < text.length; index++)
    if (view.getUint8(offset + index) !== text.charCodeAt(index)) return false
  return true
}

/** The bytes of base64 text; null for other text. */
export function fromBase64(data: string): Uint8Array | null {
  try {
    return Uint8Array.from(atob(data), (character) => character.charCodeAt(0))
  } catch {
    return null
  }
}
