/** Where an administrator's settings are. Loaded at every start, so it imports nothing. */

/** The administrator's settings files of a platform. */
export function managedSettingsFiles(platform: NodeJS.Platform): readonly string[] {
  switch (platform) {
    case 'darwin':
      return [
        '/Library/Application Support/Troupe/settings.json',
        '/Library/Application Support/ClaudeCode/managed-settings.json',
      ]
    case 'win32':
      return [
        'C:\\Program Files\\Troupe\\settings.json',
        'C:\\Program Files\\ClaudeCode\\managed-settings.json',
      ]
    default:
      return ['/etc/troupe/settings.json', '/etc/claude-code/managed-settings.json']
  }
}
