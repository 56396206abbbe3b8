/** What a server answered, as a tool's result for the model. */
import type { CallToolResult, ReadResourceResult } from '@modelcontextprotocol/client'
import type { UserBlock } from '../../../shared/messages/content.ts'
import { imageFacts } from '../../../shared/messages/image-facts.ts'
import type { ToolOutcome } from '../../runtime/ports/tool.ts'

/** The image types that the model reads. */
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

/** The outcome of a call. Text alone stays text, so that a long result is kept in a file. */
export function toolOutcomeOf(result: CallToolResult): ToolOutcome {
  const blocks = result.content.flatMap(blocksOf)
  const { structuredContent } = result
  const hasText = blocks.some(({ type }) => type === 'text')
  if (structuredContent !== undefined && !hasText)
    blocks.push({ type: 'text', text: JSON.stringify(structuredContent, null, 2) })
  const isError = result.isError === true
  return { isError, content: contentOf(blocks, isError), note: isError ? 'failed' : noteOf(blocks) }
}

/** The outcome of a read resource. */
export function resourceOutcome({ contents }: ReadResourceResult): ToolOutcome {
  const blocks = contents.flatMap((part): readonly UserBlock[] =>
    blocksOf({ type: 'resource', resource: part }),
  )
  return { isError: false, content: contentOf(blocks, false), note: noteOf(blocks) }
}

type Block = CallToolResult['content'][number]

function blocksOf(block: Block): readonly UserBlock[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text }]
    case 'image':
      return [imageOf(block.mimeType, block.data)]
    case 'audio':
      return [{ type: 'text', text: `[Audio of the type ${block.mimeType} was left out.]` }]
    case 'resource_link':
      return [
        {
          type: 'text',
          text: `[Resource ${block.uri}${block.description ? `: ${block.description}` : ''}. Read it with ReadMcpResource.]`,
        },
      ]
    case 'resource': {
      const { resource } = block
      if ('text' in resource && typeof resource.text === 'string')
        return [{ type: 'text', text: `[Resource ${resource.uri}]\n${resource.text}` }]
      const blob = 'blob' in resource && typeof resource.blob === 'string' ? resource.blob : ''
      return [imageOf(resource.mimeType ?? '', blob, resource.uri)]
    }
    default:
      return [{ type: 'text', text: '[A part of a kind that Troupe does not know was left out.]' }]
  }
}

function imageOf(type: string, data: string, uri?: string): UserBlock {
  // The bytes count: a server may name another type. An image that is none is left out later, with the reason.
  const isImage = IMAGE_TYPES.find((one) => one === type)
  const known = imageFacts(Buffer.from(data, 'base64'))?.type ?? isImage
  if (known !== undefined) return { type: 'image', source: { type: 'base64', media_type: known, data } }
  const bytes = Math.floor((data.length * 3) / 4)
  const what = `${type === '' ? 'binary data' : `data of the type ${type}`} (${bytes} bytes)`
  return { type: 'text', text: `[${uri ? `${uri}: ` : ''}${what} was left out.]` }
}

function contentOf(blocks: readonly UserBlock[], isError: boolean): ToolOutcome['content'] {
  if (blocks.length === 0)
    return isError ? 'The server reported an error without a message.' : 'Done. The server returned nothing.'
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  return texts.length === blocks.length ? texts.join('\n\n') : [...blocks]
}

function noteOf(blocks: readonly UserBlock[]): string {
  const lines = blocks.reduce(
    (sum, block) => sum + (block.type === 'text' ? block.text.split('\n').length : 0),
    0,
  )
  const images = blocks.filter(({ type }) => type === 'image').length
  return [
    ...(lines === 0 ? [] : [`${lines} ${lines === 1 ? 'line' : 'lines'}`]),
    ...(images === 0 ? [] : [`${images} ${images === 1 ? 'image' : 'images'}`]),
  ].join(', ')
}
