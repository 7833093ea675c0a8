// Settings: every one with its value, where it comes from and what it means.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { shown } from "../format";
import { useData } from "../hooks";
import { Wait } from "../parts/common";
import type { PageProps } from "../router";

interface Setting {
  name: string;
  value: unknown;
  source: string;
  help: string;
}

export default function SettingsPage(_: PageProps): JSX.Element {
  const settings = useData<Setting[]>("/settings");
  const [text, setText] = useState("");
  return (
    <>
      <h1>Settings</h1>
      <p class="hint">They are set by flags, then by variables of the environment, then in graphvine.toml, and are read when the service starts.</p>
      <div class="bar"><label>Filter <input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} /></label></div>
      <Wait of={settings}>{(data) => (
        <div class="plain stacked" tabIndex={0} role="region" aria-label="Settings"><table>
          <thead><tr><th scope="col">setting</th><th scope="col">value</th><th scope="col">from</th><th scope="col">what it means</th></tr></thead>
          <tbody>{data.filter((one) => `${one.name} ${one.help}`.toLowerCase().includes(text.toLowerCase())).map((one) => (
            <tr key={one.name}><th scope="row" class="mono">{one.name}</th><td class="mono">{shown(one.value)}</td><td>{one.source}</td><td>{one.help}</td></tr>
          ))}</tbody>
        </table></div>
      )}</Wait>
    </>
  );
}
