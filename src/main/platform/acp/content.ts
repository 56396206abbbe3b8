/** Messages and their content: the blocks of ACP as Troupe's, and Troupe's as those of ACP. */
import type { ContentBlock } from '@agentclientprotocol/sdk'
import { fail, ok, type Result } from '../../../shared/kernel/result.ts'
import { makeVisible } from '../../../shared/kernel/visible-text.ts'
import type { ImageBlock, UserBlock } from '../../../shared/messages/content.ts'
import { fromBase64, imageFacts } from '../../../shared/messages/image-facts.ts'

/** A text as a block of ACP. */
export const textBlock = (text: string): ContentBlock & { readonly type: 'text' } => ({ type: 'text', text })

/** An image as a block of ACP. */
export const acpImage = ({ source }: ImageBlock): ContentBlock & { readonly type: 'image' } => ({
  type: 'image',
  data: source.data,
  mimeType: source.media_type,
})

/** A message to an agent as the content of a prompt to an external agent. */
export const promptOf = (blocks: readonly UserBlock[], takesImages: boolean): readonly ContentBlock[] =>
  blocks.map((block) => {
    if (block.type === 'text') return textBlock(block.text)
    return takesImages ? acpImage(block) : textBlock('[An image was left out: this program takes none.]')
  })

/** The text of a block of an external agent; of other blocks a word about them. Nothing holds it to a shape. */
export function acpTextOf(block: { readonly type: string }): string {
  if ('text' in block && typeof block.text === 'string') return block.text
  if ('uri' in block && typeof block.uri === 'string') return block.uri
  return block.type === 'image' || block.type === 'audio' ? `[${block.type}]` : ''
}

/** A text of an external agent on one line, without what would not be seen: at most 300 characters. */
export const shortText = (text: string): string =>
  makeVisible(text.replaceAll(/\s+/g, ' ').trim()).slice(0, 300)

/** The same for what may be no text: then it is empty. */
export const shortTextOf = (value: unknown): string => (typeof value === 'string' ? shortText(value) : '')

/** An editor's prompt as the content of a message. Files that the user refers to become paths in the text; embedded ones bring their text along. Fails with `unsupported`. */
export function promptContent(prompt: readonly ContentBlock[]): Result<readonly UserBlock[]> {
  const blocks: UserBlock[] = []
  for (const block of prompt) {
    const read = blockOf(block)
    if (!read.ok) return read
    blocks.push(read.value)
  }
  const all = joined(blocks)
  if (!all.some((block) => block.type === 'image' || block.text.trim() !== ''))
    return refused('The prompt is empty. Write what to do.')
  return ok(all)
}

function blockOf(block: ContentBlock): Result<UserBlock> {
  switch (block.type) {
    case 'text':
      return ok({ type: 'text', text: block.text })
    case 'image':
      return imageOf(block)
    case 'resource_link':
      return ok({ type: 'text', text: `@${pathOf(block.uri)}` })
    case 'resource':
      return 'text' in block.resource
        ? ok({ type: 'text', text: embedded(block.resource) })
        : refused(
            `The file ${block.resource.uri} is not text, so it can’t be embedded. Refer to it by its path.`,
          )
    default:
      return refused(
        `Content of the type "${block.type}" can’t be sent to an agent. Send text, files or images.`,
      )
  }
}

function imageOf({
  data,
  mimeType,
}: {
  readonly data: string
  readonly mimeType: string
}): Result<ImageBlock> {
  const bytes = fromBase64(data)
  const facts = bytes === null ? null : imageFacts(bytes)
  // The bytes count: some editors name the type by the ending of the file.
  if (bytes === null || facts === null)
    return refused(`An image of the type ${mimeType} can’t be sent. Use PNG, JPEG, GIF or WebP.`)
  if (facts.size === null) return refused('An image of the prompt is truncated or damaged.')
  return ok({ type: 'image', source: { type: 'base64', media_type: facts.type, data } })
}

function embedded({ uri, text }: { readonly uri: string; readonly text: string }): string {
  return `\n<file path=${JSON.stringify(pathOf(uri))}>\n${text}\n</file>\n`
}

/** The path of a `file:` address; another address as it is. */
function pathOf(uri: string): string {
  try {
    const { protocol, pathname } = new URL(uri)
    return protocol === 'file:' ? decodeURIComponent(pathname) : uri
  } catch {
    return uri
  }
}

/** Neighboring texts as one: the user wrote one sentence with files in it. */
function joined(blocks: readonly UserBlock[]): readonly UserBlock[] {
  const all: UserBlock[] = []
  for (const block of blocks) {
    const last = all.at(-1)
    if (block.type === 'text' && last?.type === 'text')
      all[all.length - 1] = { type: 'text', text: last.text + block.text }
    else all.push(block)
  }
  return all
}

const refused = (message: string): Result<never> => fail({ type: 'unsupported', message })
