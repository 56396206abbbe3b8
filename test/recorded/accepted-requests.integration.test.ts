/**
 * Requests that the real API accepted, held against the scripted API: it accepts them too, or refuses them for a reason in
 * this table. The recordings are not part of the repository: without them this test is skipped.
 */
import { describe, expect, test } from 'vitest'
import { checkRules } from '../../src/main/features/rehearsal/request-rules.ts'
import { checkShape, type RequestBody } from '../../src/main/features/rehearsal/request-shape.ts'
import { recordedLines } from '../../src/main/testing/recorded.ts'

const NOT_SENT = 'Troupe does not send it'
const MODELS = 'pydantic+pydantic-ai:tests/models/cassettes/test_anthropic/'
const OTHERS = 'pydantic+pydantic-ai:tests/models/anthropic/cassettes/'
const FILES = 'pydantic+pydantic-ai:tests/cassettes/test_code_execution_files_vcr/'

/** What the scripted API refuses and the real one takes, why, and a recording that shows it. */
const STRICTER: readonly (readonly [reason: RegExp, because: string, recording: string])[] = [
  [/container_upload/, NOT_SENT, `${FILES}test_anthropic_code_execution_files.yaml#1`],
  [
    /^cache_control:/,
    'Troupe marks blocks',
    `${FILES}test_anthropic_code_execution_files_cache_prefix_stable[automatic-sonnet-4-6].yaml#1`,
  ],
  [
    /^container:/,
    NOT_SENT,
    `${FILES}test_anthropic_code_execution_files_cache_prefix_stable[messages-sonnet-4-6].yaml#2`,
  ],
  [
    /role: Input should be 'user' or 'assistant'/,
    'a system message is not the user’s',
    'pydantic+pydantic-ai:tests/cassettes/test_tool_availability_portability/test_anthropic_live_delta_preserves_the_warmed_cache_prefix.yaml#1',
  ],
  [/strict:/, NOT_SENT, `${OTHERS}test_output/test_mixed_tools_basemodel_output.yaml#0`],
  [/output_config\.format/, NOT_SENT, `${OTHERS}test_output/test_no_tools_native_output_strict_none.yaml#0`],
  [
    /^mcp_servers:/,
    'Troupe calls servers itself',
    `${OTHERS}test_unpaired_native_tool_calls/test_in_flight_mcp_call_history_is_accepted.yaml#0`,
  ],
  [/tools\.\d+\.custom\.type/, 'a tool of the API', `${MODELS}test_anthropic_code_execution_tool.yaml#0`],
  [
    /tools\.\d+\.\w+\.(allowed_domains|max_tokens|user_location)/,
    'an option of a tool of the API',
    `${MODELS}test_anthropic_advisor_tool_message_replay.yaml#0`,
  ],
  [/^context_management:/, 'Troupe compacts itself', `${MODELS}test_anthropic_compaction_round_trip.yaml#0`],
  [
    /^max_tokens: Field required/,
    'a count of tokens, which has another address',
    `${MODELS}test_anthropic_count_tokens_with_adaptive_thinking_and_output_tools.yaml#0`,
  ],
  [
    /roles must alternate/,
    'a mistake here',
    'pydantic+pydantic-ai:tests/cassettes/test_tool_search/test_cross_provider_capability_replay[anthropic-claude-sonnet-4-5-openai-responses-gpt-5.4].yaml#2',
  ],
  [
    /ids must be unique/,
    'a mistake here',
    'pydantic+pydantic-ai:tests/cassettes/test_tool_search/test_cross_provider_capability_replay[google-gemini-3-flash-preview-anthropic-claude-sonnet-4-5].yaml#3',
  ],
  [/first message must/, 'a mistake here', `${MODELS}test_anthropic_model_empty_message_on_history.yaml#0`],
  [/^(temperature|top_k):/, NOT_SENT, `${MODELS}test_anthropic_sampling_settings_reach_the_wire.yaml#0`],
  [/task_budget/, NOT_SENT, `${MODELS}test_anthropic_task_budget_adds_output_config_and_beta.yaml#0`],
  [/of type document/, 'documents are sent as text', `${MODELS}test_document_binary_content_input.yaml#0`],
  [/of type (url|file)/, 'images are sent as data', `${MODELS}test_image_url_input.yaml#0`],
]

interface Exchange {
  readonly source: string
  readonly status: number
  /** The header's value. */
  readonly beta: string | null
  readonly request: RequestBody
}

const accepted = recordedLines<Exchange>('exchanges.jsonl').filter(
  (line): line is Exchange => line.status === 200,
)

const refusal = ({ request, beta }: Pick<Exchange, 'request' | 'beta'>): string | null =>
  checkShape(request, new Set(beta?.split(','))) ?? checkRules(request, { isPaused: () => false })

describe.skipIf(accepted.length === 0)('what the real API took', () => {
  test('is taken by the scripted API, or is in the table', () => {
    const others = accepted.flatMap(({ source, request, beta }) => {
      const why = refusal({ request, beta })
      return why === null || STRICTER.some(([reason]) => reason.test(why)) ? [] : [{ source, why }]
    })
    expect(others).toEqual([])
  })

  test.for(STRICTER)('is refused with %s: %s', ([reason, , recording]) => {
    const exchange = accepted.find(({ source }) => source === recording)
    expect(exchange && refusal(exchange)).toMatch(reason)
  })
})
