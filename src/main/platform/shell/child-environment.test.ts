import { describe, expect, it } from 'vitest'
import { childEnvironment } from './child-environment.ts'

describe('childEnvironment', () => {
  it('passes the variables that commands need', () => {
    const needed = {
      PATH: '/bin',
      HOME: '/home/me',
      LANG: 'de_DE.UTF-8',
      LC_ALL: 'C',
      TERM: 'xterm',
      USER: 'me',
      SHELL: '/bin/zsh',
      TMPDIR: '/tmp',
      JAVA_HOME: '/opt/java',
      VIRTUAL_ENV: '/venv',
      https_proxy: 'http://proxy:3128',
    }
    expect(childEnvironment(needed)).toEqual(needed)
  })

  it('passes no keys, tokens, passwords or variables that control code loading', () => {
    const secret = {
      ANTHROPIC_API_KEY: 'x',
      ANTHROPIC_AUTH_TOKEN: 'x',
      ANTHROPIC_BASE_URL: 'x',
      AWS_SECRET_ACCESS_KEY: 'x',
      GITHUB_TOKEN: 'x',
      NPM_TOKEN: 'x',
      PGPASSWORD: 'x',
      SSH_AUTH_SOCK: 'x',
      TROUPE_HOME: 'x',
      ELECTRON_RUN_AS_NODE: '1',
      NODE_OPTIONS: '--require x',
      LD_PRELOAD: 'x',
      BASH_ENV: 'x',
      ENV: 'x',
      PATH_TOKEN: 'x',
      LC_SECRET_TOKEN: 'x',
      HTTPS_PROXY: 'http://me:password@proxy:3128',
      gone: undefined,
    }
    expect(childEnvironment(secret)).toEqual({})
  })

  it('passes no variables that point git to another repository or make it run commands', () => {
    const names = [
      ...['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_COMMON_DIR', 'GIT_OBJECT_DIRECTORY'],
      ...['GIT_ALTERNATE_OBJECT_DIRECTORIES', 'GIT_NAMESPACE', 'GIT_CEILING_DIRECTORIES', 'GIT_PREFIX'],
      ...['GIT_CONFIG', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_COUNT', 'GIT_CONFIG_KEY_0', 'GIT_CONFIG_PARAMETERS'],
      ...['GIT_EXEC_PATH', 'GIT_SSH_COMMAND', 'GIT_EXTERNAL_DIFF', 'GIT_EDITOR', 'GIT_AUTHOR_NAME'],
    ]
    expect(childEnvironment(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual({})
  })
})
