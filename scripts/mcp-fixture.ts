/**
 * Fourteen MCP servers with the tools that such servers usually have, over HTTP on loopback: how many tokens the servers
 * of a busy project cost. Their tools can be listed, not called.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** By server: its tools, each as "name field! field": fields with `!` are required, with `[]` lists, with `#` numbers. */
const SERVERS: Readonly<Record<string, string>> = {
  github:
    'create_issue owner! repo! title! body labels[] assignees[]|get_issue owner! repo! issue_number#!|list_issues owner! repo! state labels[] sort direction page# per_page#|add_issue_comment owner! repo! issue_number#! body!|create_pull_request owner! repo! title! body head! base! draft|get_pull_request owner! repo! pull_number#!|list_pull_requests owner! repo! state head base page#|merge_pull_request owner! repo! pull_number#! merge_method commit_title|get_pull_request_diff owner! repo! pull_number#!|create_review owner! repo! pull_number#! body! event! comments[]|search_code query! page# per_page#|search_issues query! sort order page#|get_file_contents owner! repo! path! ref|create_or_update_file owner! repo! path! content! message! branch! sha|list_commits owner! repo! sha page#|create_branch owner! repo! branch! from_branch|list_workflow_runs owner! repo! workflow_id status|get_job_logs owner! repo! job_id#! tail_lines#',
  jira: 'search_issues jql! fields[] start_at# max_results#|get_issue issue_key! fields[] expand|create_issue project_key! summary! issue_type! description assignee labels[] priority|update_issue issue_key! fields!|transition_issue issue_key! transition_id! comment|add_comment issue_key! body!|get_transitions issue_key!|list_projects include_archived|list_sprints board_id! state|add_worklog issue_key! time_spent! comment started|link_issues inward_key! outward_key! link_type!',
  confluence:
    'search cql! limit#|get_page page_id! include_body|create_page space_key! title! body! parent_id|update_page page_id! title! body! version#!|list_children page_id! limit#|add_comment page_id! body!|get_attachments page_id!',
  slack:
    'list_channels limit# cursor types|post_message channel_id! text! thread_ts|reply_to_thread channel_id! thread_ts! text!|add_reaction channel_id! timestamp! reaction!|get_channel_history channel_id! limit# oldest latest|get_thread_replies channel_id! thread_ts!|search_messages query! sort count#|get_users cursor limit#|get_user_profile user_id!',
  notion:
    'search query! filter sort page_size#|get_page page_id!|create_page parent_id! title! properties children[]|update_page page_id! properties! archived|append_blocks block_id! children[]!|get_block_children block_id! page_size# start_cursor|query_database database_id! filter sorts[] page_size#|create_database parent_id! title! properties!|create_comment page_id! text!|list_users page_size#',
  linear:
    'list_issues team_id assignee_id state_id label query limit#|get_issue id!|create_issue team_id! title! description priority# assignee_id labels[] project_id|update_issue id! title description state_id priority# assignee_id|create_comment issue_id! body!|list_projects team_id include_archived limit#|get_project id!|list_teams query limit#|list_cycles team_id! type|list_labels team_id limit#|list_users query limit#',
  sentry:
    'list_organizations query|list_projects organization! query|search_issues organization! project query! sort limit#|get_issue organization! issue_id!|get_event organization! issue_id! event_id|update_issue organization! issue_id! status assignee|search_events organization! query! dataset fields[] sort|get_trace organization! trace_id!|list_releases organization! project query',
  postgres:
    'query sql! parameters[] timeout#|list_schemas include_system|list_tables schema! include_views|describe_table schema! table!|explain_query sql! analyze format|list_indexes schema! table|get_slow_queries limit# minimum_ms#',
  filesystem:
    'read_text_file path! head# tail#|read_multiple_files paths[]!|write_file path! content!|edit_file path! edits[]! dry_run|create_directory path!|list_directory path!|directory_tree path! exclude_patterns[]|move_file source! destination!|search_files path! pattern! exclude_patterns[]|get_file_info path!|list_allowed_directories',
  playwright:
    'browser_navigate url!|browser_navigate_back|browser_snapshot filename|browser_click element! ref! double_click button modifiers[]|browser_type element! ref! text! submit slowly|browser_fill_form fields[]!|browser_select_option element! ref! values[]!|browser_hover element! ref!|browser_drag start_element! start_ref! end_element! end_ref!|browser_press_key key!|browser_wait_for time# text text_gone|browser_take_screenshot type filename element ref full_page|browser_evaluate function! element ref|browser_console_messages level|browser_network_requests include_static|browser_handle_dialog accept! prompt_text|browser_file_upload paths[]|browser_tabs action! index#|browser_resize width#! height#!|browser_close',
  figma:
    'get_file file_key! node_ids[] depth#|get_design_context file_key! node_id! framework|get_screenshot file_key! node_id! scale#|get_variables file_key! node_id|get_metadata file_key! node_id!|list_components file_key! page_size#|post_comment file_key! message! node_id',
  stripe:
    'create_customer name! email description|list_customers email limit#|create_product name! description|list_products limit# active|create_price product! unit_amount#! currency! recurring|list_prices product limit#|create_payment_link price! quantity#!|create_invoice customer! days_until_due#!|finalize_invoice invoice!|create_refund payment_intent! amount# reason|list_subscriptions customer price status limit#|cancel_subscription subscription!|search_documentation question! language',
  grafana:
    'search_dashboards query! limit#|get_dashboard uid!|get_panel_queries uid!|list_datasources type|query_prometheus datasource_uid! expr! start_time! end_time step_seconds# query_type|list_prometheus_metrics datasource_uid! regex limit#|query_loki_logs datasource_uid! logql! start end limit# direction|list_loki_labels datasource_uid! start end|list_alert_rules label_selectors[] limit#|get_alert_rule uid!|list_incidents status limit#|create_incident title! severity! room_prefix! status',
  kubernetes:
    'list_pods namespace label_selector|get_pod namespace! name!|get_pod_logs namespace! name! container tail_lines# previous|exec_in_pod namespace! name! command[]! container|apply_manifest manifest! namespace dry_run|delete_resource kind! namespace! name!|list_deployments namespace|scale_deployment namespace! name! replicas#!|rollout_status kind! namespace! name!|list_events namespace field_selector|describe_resource kind! namespace! name!',
}

export interface McpFixture {
  /** For `--mcp-config`. */
  readonly config: { readonly mcpServers: Readonly<Record<string, unknown>> }
  readonly toolCount: number
  close(): Promise<void>
}

/** Starts all servers on one port of loopback. */
export async function startMcpFixture(): Promise<McpFixture> {
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += String(chunk)
    })
    request.on('end', () => {
      const answer =
        request.method === 'POST' ? answerTo(request.url?.slice(1) ?? '', JSON.parse(text)) : null
      response.writeHead(answer === null ? (request.method === 'POST' ? 202 : 405) : 200, {
        'content-type': 'application/json',
      })
      response.end(answer === null ? '' : JSON.stringify(answer))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const names = Object.keys(SERVERS)
  return {
    config: {
      mcpServers: Object.fromEntries(
        names.map((name) => [name, { type: 'http', url: `http://127.0.0.1:${port}/${name}` }]),
      ),
    },
    toolCount: names.reduce((sum, name) => sum + toolsOf(name).length, 0),
    close: () =>
      new Promise((done) => {
        server.closeAllConnections()
        server.close(() => done())
      }),
  }
}

interface RpcMessage {
  readonly id?: unknown
  readonly method: string
  readonly params?: { readonly protocolVersion?: string }
}

/** Null for a notification. */
function answerTo(name: string, { id, method, params }: RpcMessage): object | null {
  if (id === undefined) return null
  if (method === 'initialize')
    return result(id, {
      protocolVersion: params?.protocolVersion ?? '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name, version: '1.0.0' },
    })
  if (method === 'tools/list') return result(id, { tools: toolsOf(name) })
  return { jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }
}

const result = (id: unknown, value: object) => ({ jsonrpc: '2.0', id, result: value })

function toolsOf(server: string): readonly object[] {
  return (SERVERS[server] ?? '').split('|').map((text) => {
    const [name = '', ...fields] = text.split(' ')
    const words = name.replaceAll('_', ' ')
    return {
      name,
      description: `Performs "${words}" in ${server}. Returns the result as JSON, with ids that other ${server} tools take. Fails with a message if the object does not exist or the signed-in user may not access it.`,
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(fields.map((field) => [plain(field), schemaOf(field, words)])),
        required: fields.filter((field) => field.endsWith('!')).map(plain),
      },
    }
  })
}

const plain = (field: string): string => field.replace(/[^a-z_]/g, '')

function schemaOf(field: string, words: string): object {
  const description = `The ${plain(field).replaceAll('_', ' ')} to ${words} with.`
  if (field.includes('[]')) return { type: 'array', items: { type: 'string' }, description }
  return { type: field.includes('#') ? 'number' : 'string', description }
}
