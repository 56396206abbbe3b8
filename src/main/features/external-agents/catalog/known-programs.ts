/**
 * The external agents that Troupe knows: how each is started, installed, and described to the main agent. The
 * versions are those that were tried; a new version is a change of this file.
 */
import type { ProgramId } from '../../../../shared/external-agents/known-program.ts'

export interface KnownProgram {
  readonly id: ProgramId
  readonly title: string
  readonly maker: string
  /** For the user. */
  readonly about: string
  /** For the main agent, which reads it when it chooses an agent. */
  readonly description: string
  readonly color: string
  readonly aliases: readonly string[]
  /** The command on PATH that speaks the Agent Client Protocol, which is also a `bin` of the package. */
  readonly command: string
  readonly args: readonly string[]
  readonly package: string
  readonly version: string
  /** The major version of Node that the package needs; null: the program is no script. */
  readonly node: number | null
  /** The start of the names of the packages that hold the program, one for each system; null: the package's own `bin`. */
  readonly binary: string | null
  /** The start of the names of further packages, one for each system, without which it can't work; null: none. */
  readonly part: string | null
  /** A command of the same maker that does not speak the protocol by itself, and how the user may know it. */
  readonly partner: { readonly command: string; readonly title: string } | null
  /** Variables that it gets where the user has them: keys that its maker documents, and the folder of its settings. */
  readonly env: readonly string[]
  readonly login: string
  readonly lacks: readonly string[]
  /** The size on the disk, as measured on Linux. */
  readonly megabytes: number
}

/** What all descriptions tell the main agent. */
const OUTSIDE =
  'It reads, changes and runs code in the folder with its own tools. It does not see this conversation, so give it the whole task.'

export const KNOWN_PROGRAMS: readonly KnownProgram[] = [
  {
    id: 'claude-code',
    title: 'Claude Code',
    maker: 'Anthropic',
    about: 'Anthropic’s agent, with your Claude subscription or key.',
    description: `Claude Code, a separate agent program with the user's own login. Use it when the user asks for Claude Code, or wants an implementation or a review that is independent of yours. ${OUTSIDE}`,
    color: 'orange',
    aliases: ['claude'],
    command: 'claude-agent-acp',
    args: [],
    package: '@agentclientprotocol/claude-agent-acp',
    version: '0.100.0',
    node: 22,
    binary: null,
    part: '@anthropic-ai/claude-agent-sdk',
    partner: { command: 'claude', title: 'Claude Code' },
    env: [
      ...['CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CONFIG_DIR', 'ANTHROPIC_BASE_URL', 'ANTHROPIC_MODEL'],
      ...['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_SKIP_BEDROCK_AUTH', 'ANTHROPIC_BEDROCK_BASE_URL'],
      ...['AWS_BEARER_TOKEN_BEDROCK', 'AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_PROFILE'],
      ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
      ...['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE'],
      ...['CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_SKIP_VERTEX_AUTH', 'ANTHROPIC_VERTEX_BASE_URL'],
      ...['ANTHROPIC_VERTEX_PROJECT_ID', 'CLOUD_ML_REGION', 'GOOGLE_APPLICATION_CREDENTIALS'],
    ],
    login: 'It uses your login of Claude Code. Without one, its agent shows the ways to log in.',
    lacks: [],
    megabytes: 391,
  },
  {
    id: 'codex',
    title: 'Codex',
    maker: 'OpenAI',
    about: 'OpenAI’s agent, with your ChatGPT subscription or key.',
    description: `Codex, a separate agent program of OpenAI with the user's own login. Use it when the user asks for Codex, or wants a second opinion, implementation or review by a model of another maker. ${OUTSIDE}`,
    color: 'green',
    aliases: [],
    command: 'codex-acp',
    args: [],
    package: '@agentclientprotocol/codex-acp',
    version: '2.6.0',
    node: 20,
    binary: null,
    part: '@openai/codex',
    partner: { command: 'codex', title: 'Codex' },
    env: ['OPENAI_API_KEY', 'CODEX_API_KEY', 'CODEX_HOME'],
    login: 'It uses your login of Codex. Without one, its agent shows the ways to log in.',
    lacks: ['Codex does not report its cost, so a limit in dollars can’t stop it.'],
    megabytes: 457,
  },
  {
    id: 'gemini',
    title: 'Gemini CLI',
    maker: 'Google',
    about: 'Google’s agent, with your Google account or key.',
    description: `Gemini CLI, a separate agent program of Google with the user's own login. Use it when the user asks for Gemini, or wants a second opinion, implementation or review by a model of another maker. ${OUTSIDE}`,
    color: 'blue',
    aliases: ['gemini-cli'],
    command: 'gemini',
    args: ['--acp'],
    package: '@google/gemini-cli',
    version: '0.61.0',
    node: 20,
    binary: null,
    part: null,
    partner: null,
    env: [
      'GEMINI_API_KEY',
      'GOOGLE_API_KEY',
      'GOOGLE_CLOUD_PROJECT',
      'GOOGLE_CLOUD_LOCATION',
      'GOOGLE_GENAI_USE_VERTEXAI',
    ],
    login: 'It uses your login of Gemini CLI. Without one, its agent shows the ways to log in.',
    lacks: [
      'Gemini CLI does not report its cost, so a limit in dollars can’t stop it.',
      'Gemini CLI sends no plan, so its to-dos stay empty.',
    ],
    megabytes: 100,
  },
  {
    id: 'opencode',
    title: 'opencode',
    maker: 'Anomaly',
    about: 'An open-source agent for the models of many makers, with the logins and keys that you gave it.',
    description: `opencode, a separate open-source agent program with the user's own models and logins. Use it when the user asks for opencode, or for a model that is set up there. ${OUTSIDE}`,
    color: 'purple',
    aliases: [],
    command: 'opencode',
    args: ['acp'],
    package: 'opencode-ai',
    version: '1.18.33',
    node: null,
    binary: 'opencode',
    part: null,
    partner: null,
    env: ['OPENCODE_API_KEY', 'OPENCODE_CONFIG', 'OPENROUTER_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'],
    login: 'It uses the logins and keys of opencode. Without one, it has opencode’s free models only.',
    lacks: [],
    megabytes: 354,
  },
]
