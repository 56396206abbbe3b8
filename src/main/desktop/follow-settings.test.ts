import { expect, test } from 'vitest'
import { defaultSettings, type Settings } from '../../shared/settings/settings.ts'
import { followSettings } from './desktop-watches.ts'

function fixture() {
  const calls: string[] = []
  let listener: (settings: Settings, problems: readonly string[]) => void = () => {}
  const end = followSettings({
    settings: {
      current: defaultSettings,
      watch: (added) => {
        listener = added
        return () => calls.push('ended')
      },
    },
    onChange: ({ theme }) => calls.push(`change ${theme}`),
    onTrustChange: () => calls.push('trust'),
    onRecentFoldersChange: () => calls.push('recent'),
    onAccessChange: () => calls.push('access'),
    onProblems: (messages) => calls.push(...messages),
  })
  return { calls, end, change: (settings: Settings, problems: string[] = []) => listener(settings, problems) }
}

test('each change is compared with the previous settings', () => {
  const { calls, change, end } = fixture()
  const dark: Settings = { ...defaultSettings, theme: 'dark' }
  change(dark)
  change({ ...dark, trustedFolders: ['/shop'] })
  change({ ...dark, trustedFolders: ['/shop'], recentFolders: ['/shop'] })
  change({ ...dark, trustedFolders: ['/shop'], recentFolders: ['/shop'], baseUrl: 'http://localhost:1' })
  end()
  expect(calls).toEqual([
    'change dark',
    'change dark',
    'trust',
    'change dark',
    'recent',
    'change dark',
    'access',
    'ended',
  ])
})

test('problems of the file are reported first', () => {
  const { calls, change } = fixture()
  change(defaultSettings, ['settings.json is not JSON'])
  expect(calls).toEqual(['settings.json is not JSON', 'change system'])
})
