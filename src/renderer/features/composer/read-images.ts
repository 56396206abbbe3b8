/** Turns pasted and dropped files into images for the model. */
import type { ImageBlock } from '../../../shared/messages/content.ts'
import type { DraftImage } from '../../stores/draft-store.ts'
import { newKey } from '../../ui/machine.ts'

const MAX_IMAGES = 20
/** The API takes 5 MB of base64 an image, which is a third more than the file. */
const MAX_BYTES = 3_750_000

const MEDIA_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

interface ReadImages {
  readonly images: readonly DraftImage[]
  /** One sentence for each file that was left out. */
  readonly problems: readonly string[]
}

/** Whether the file has an image type; the model may still not support the type. */
export function isImage(file: File): boolean {
  return file.type.startsWith('image/')
}

/** Reads images; `already` is how many the draft has. */
export async function readImages(files: readonly File[], already: number): Promise<ReadImages> {
  const images: DraftImage[] = []
  const problems: string[] = []
  for (const file of files) {
    if (already + images.length >= MAX_IMAGES) {
      problems.push(`A message can have at most ${MAX_IMAGES} images. The others were left out.`)
      break
    }
    if (!MEDIA_TYPES.has(file.type)) {
      problems.push(
        `${nameOf(file)} has ${file.type === '' ? 'an unknown type' : `the type ${file.type}`}. Supported: PNG, JPEG, GIF and WebP.`,
      )
      continue
    }
    if (file.size > MAX_BYTES) {
      problems.push(
        `${nameOf(file)} is ${(file.size / 1_000_000).toFixed(1)} MB. The limit is 3.7 MB: make the image smaller first.`,
      )
      continue
    }
    images.push({ key: newKey(), name: nameOf(file), block: await blockOf(file) })
  }
  return { images, problems }
}

function nameOf(file: File): string {
  return file.name === '' ? 'The image' : file.name
}

async function blockOf(file: File): Promise<ImageBlock> {
  const url = await dataUrl(file)
  return {
    type: 'image',
    source: {
      type: 'base64',
      media_type: file.type as ImageBlock['source']['media_type'],
      data: url.slice(url.indexOf(',') + 1),
    },
  }
}

function dataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error ?? new Error('File not readable'))
    reader.readAsDataURL(file)
  })
}
