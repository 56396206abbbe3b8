import { expect, test } from 'vitest'
import { commandEnvironment } from './command-environment.ts'

const named = (parts: Parameters<typeof commandEnvironment>[0]) =>
  Object.keys(commandEnvironment(parts).variables)

test.each([
  ['DATABASE_URL', 'postgres://localhost/dev'],
  ['DATABASE_URL', 'postgres://app:app@localhost:5432/dev'],
  ['REDIS_URL', 'redis://:pw@redis:6379/0'],
  ['AWS_PROFILE', 'dev'],
  ['AWS_REGION', 'eu-central-1'],
  ['NODE_ENV', 'test'],
  ['NODE_OPTIONS', '--max-old-space-size=8192'],
  ['PYTHONPATH', 'src'],
  ['RAILS_ENV', 'test'],
  ['GOFLAGS', '-mod=mod'],
  ['KUBECONFIG', '/home/me/.kube/config'],
  ['GOOGLE_APPLICATION_CREDENTIALS', '/home/me/key.json'],
  ['DOCKER_HOST', 'tcp://localhost:2375'],
  ['GIT_AUTHOR_NAME', 'Ana'],
  ['MAX_TOKENS', '4096'],
  ['REQUIRE_AUTH', 'false'],
  ['TOKENIZERS_PARALLELISM', 'false'],
  ['KEYBOARD_LAYOUT', 'de'],
  ['MONKEY_PATCH', 'gevent'],
  ['PWD', '/work'],
  ['SENTRY_ENVIRONMENT', 'dev'],
  ['EMPTY', ''],
])('%s=%s reaches commands', (name, value) => {
  expect(named({ environment: { [name]: value } })).toEqual([name])
})

test.each([
  ['GITHUB_TOKEN', 'x'],
  ['NPM_TOKEN', 'x'],
  ['npm_config_authToken', 'x'],
  ['AWS_SECRET_ACCESS_KEY', 'x'],
  ['AWS_ACCESS_KEY_ID', 'x'],
  ['PGPASSWORD', 'x'],
  ['MYSQL_PWD', 'x'],
  ['DB_PASS', 'x'],
  ['SMTP_PASSWORD', '1234'],
  ['dbPassword', 'x'],
  ['STRIPE_KEY', 'x'],
  ['OPENAI_APIKEY', 'x'],
  ['SECRET_KEY_BASE', 'x'],
  ['SENTRY_DSN', 'https://x@example.org/1'],
  ['AZURE_STORAGE_CONNECTION_STRING', 'x'],
  ['DATABASE_URL', 'postgres://app:hunter2@db.example.org/app'],
  ['REPLICAS', 'mongodb+srv://:hunter2@cluster.example.org'],
  ['JDBC', 'jdbc:sqlserver://example.org;user=me;password=hunter22;'],
  ['INNOCENT', `ghp_${'a'.repeat(36)}`],
  ['INNOCENT', '-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----'],
  ['HEADERS', 'Authorization: Bearer abcdefgh'],
  ['HTTPS_PROXY', 'http://me:password@proxy:3128'],
  ['SSH_AUTH_SOCK', '/run/agent'],
  ['GIT_DIR', '/other/.git'],
  ['GIT_CONFIG_COUNT', '1'],
  ['BASH_ENV', '/home/me/.env.sh'],
  ['BASH_FUNC_ls%%', '() { rm -rf x; }'],
  ['LD_PRELOAD', '/lib/x.so'],
])('%s=%s does not, and the reason is known', (name, value) => {
  const { variables, withheld } = commandEnvironment({ environment: { [name]: value } })
  expect(variables).toEqual({})
  expect(withheld).toEqual([{ name, because: expect.any(String) }])
})

test('the settings’ lists decide before names and values do, and withhold before pass', () => {
  const environment = { NPM_TOKEN: 'x', PROD_URL: 'y', PROD_TOKEN: 'z', prod_lower: 'l', OTHER_TOKEN: 'o' }
  const lists = { pass: ['NPM_TOKEN', 'PROD_TOKEN'], withhold: ['PROD_*'] }
  expect(named({ environment, lists })).toEqual(['NPM_TOKEN'])
})

test('a pattern has no other signs than the star', () => {
  const environment = { AXB: '1', 'A.B': '2' }
  expect(named({ environment, lists: { pass: [], withhold: ['A.B', '(', 'C**'] } })).toEqual(['AXB'])
})

test('env of the settings always reaches commands, before what was exported', () => {
  const environment = { NODE_ENV: 'production', NPM_TOKEN: 'exported' }
  const ofSettings = { NODE_ENV: 'test', NPM_TOKEN: 'given', BASH_ENV: '/x' }
  const lists = { pass: [], withhold: ['*'] }
  expect(commandEnvironment({ environment, ofSettings, lists }).variables).toEqual(ofSettings)
})

test('the key of a model provider reaches no command, under no name, whatever the settings say', () => {
  const environment = { LAB: 'the-key', COPY: ' the-key', OTHER: 'x' }
  const parts = { environment, lists: { pass: ['*'], withhold: [] }, keys: ['LAB', 'MISSING'] }
  expect(named(parts)).toEqual(['OTHER'])
  expect(named({ ...parts, ofSettings: { LAB: 'in settings', OTHER: 'in settings' } })).toEqual(['OTHER'])
})
