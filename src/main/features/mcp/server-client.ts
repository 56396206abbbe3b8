/** The SDK's client for one server: its transport, what it offers to the server, and the server's lists. */
import { pathToFileURL } from 'node:url'
import {
  Client,
  type Tool as McpToolDefinition,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import type { McpLogLine } from '../../../shared/mcp/mcp.ts'
import { createServerFetch } from './named-addresses.ts'
import type { OAuthSession } from './oauth-session.ts'
import type { ServerConfig } from './server-entry.ts'
import { type Asker, answerElicitation, answerSampling } from './server-questions.ts'
import { StdioTransport } from './stdio-transport.ts'

/** ms until a list must have arrived. */
const LIST_LIMIT = 15_000
/** Characters of a server's message that the panel shows. */
const LONGEST_MESSAGE = 500

interface ClientOptions {
  readonly name: string
  readonly version: string
  /** The server's root. */
  readonly folder: string
  /** Whether the server may ask a model. */
  readonly mayAskModel: () => boolean
  /** The call that the server's questions and messages belong to. */
  readonly caller: () => Asker | null
  readonly log: (kind: McpLogLine['kind'], text: string) => void
  readonly listChanged: (client: Client) => void
}

export function createClient(options: ClientOptions): Client {
  const { version, folder, name, mayAskModel, caller, log, listChanged } = options
  const samples = mayAskModel()
  const client = new Client(
    { name: 'troupe', version },
    {
      capabilities: {
        roots: {},
        elicitation: { form: {}, url: {} },
        ...(samples ? { sampling: {} } : {}),
      },
      versionNegotiation: { mode: 'auto' },
      listChanged: {
        tools: { autoRefresh: false, onChanged: () => listChanged(client) },
        prompts: { autoRefresh: false, onChanged: () => listChanged(client) },
        resources: { autoRefresh: false, onChanged: () => listChanged(client) },
      },
    },
  )
  client.setRequestHandler('roots/list', () => ({
    roots: [{ uri: pathToFileURL(folder).href, name: 'project' }],
  }))
  client.setRequestHandler('elicitation/create', ({ params }) => answerElicitation(name, params, caller()))
  if (samples)
    client.setRequestHandler('sampling/createMessage', ({ params }) => {
      log('call', 'asks the model')
      return answerSampling(name, params, { caller: caller(), mayAskModel })
    })
  client.setNotificationHandler('notifications/message', ({ params }) => {
    const text = typeof params.data === 'string' ? params.data : JSON.stringify(params.data)
    log('message', `${params.level}: ${text}`)
    caller()?.onOutput(`${text.slice(0, LONGEST_MESSAGE)}\n`)
  })
  return client
}

interface TransportOptions {
  readonly config: ServerConfig
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly signIn: OAuthSession | null
  /** The server signs users in as revision 2025-03-26 says. */
  readonly isOldSignIn: boolean
  readonly isSse: boolean
  readonly log: ClientOptions['log']
}

export function openTransport(options: TransportOptions): Transport {
  const { config, folder, environment, signIn, isOldSignIn, isSse, log } = options
  if (config.kind === 'http') {
    const given = {
      fetch: createServerFetch({ server: config.url, privateHosts: config.privateHosts }, (why) =>
        log('error', why),
      ),
      requestInit: { headers: { ...config.headers } },
      ...(signIn && { authProvider: signIn }),
      skipIssuerMetadataValidation: isOldSignIn,
    }
    const url = new URL(config.url)
    return isSse ? new SSEClientTransport(url, given) : new StreamableHTTPClientTransport(url, given)
  }
  return new StdioTransport({
    command: config.command,
    args: config.args,
    cwd: folder,
    environment: { ...environment, ...config.env },
    onStderr: (text) => {
      for (const line of text.split('\n')) log('stderr', line)
    },
    onNoise: (line) => log('error', `A line that is not JSON was skipped: ${line}`),
  })
}

interface ServerPrompt {
  readonly name: string
  readonly description: string
  readonly arguments: readonly { readonly name: string; readonly required: boolean }[]
}

export interface ServerLists {
  readonly tools: readonly McpToolDefinition[]
  readonly prompts: readonly ServerPrompt[]
  readonly resources: readonly { readonly uri: string; readonly name: string }[]
}

export const NO_LISTS: ServerLists = { tools: [], prompts: [], resources: [] }

export async function readLists(client: Client): Promise<ServerLists> {
  const limit = { timeout: LIST_LIMIT }
  const capabilities = client.getServerCapabilities() ?? {}
  const tools = capabilities.tools ? (await client.listTools(undefined, limit)).tools : []
  const prompts = capabilities.prompts ? (await client.listPrompts(undefined, limit)).prompts : []
  const resources = capabilities.resources ? (await client.listResources(undefined, limit)).resources : []
  return {
    tools,
    prompts: prompts.map((prompt) => ({
      name: prompt.name,
      description: prompt.description ?? '',
      arguments: (prompt.arguments ?? []).map((one) => ({ name: one.name, required: one.required ?? false })),
    })),
    resources: resources.map(({ uri, name }) => ({ uri, name })),
  }
}

/** The messages of a prompt, as one text. */
export async function readPrompt(
  client: Client,
  name: string,
  args: Readonly<Record<string, string>>,
): Promise<string> {
  const { messages } = await client.getPrompt({ name, arguments: { ...args } }, { timeout: LIST_LIMIT })
  return messages
    .map(({ content }) => (content.type === 'text' ? content.text : `[${content.type}]`))
    .join('\n\n')
}
