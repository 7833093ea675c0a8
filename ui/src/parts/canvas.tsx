// The drawing on the screen, by sigma on WebGL; places are found step by step, between two frames.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import forceAtlas2 from "graphology-layout-forceatlas2";
import Sigma from "sigma";
import { EdgeArrowProgram } from "sigma/rendering";
import type { Drawing } from "../graph-model";

interface Props {
  drawing: Drawing;
  version: number;
  chosen: string | null;
  choose: (id: string) => void;
  expand: (id: string) => void;
}

const STEPS = 160;
const DETAIL = 5000;

export default function Canvas({ drawing, version, chosen, choose, expand }: Props): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const sigma = useRef<Sigma | null>(null);
  const [failed, setFailed] = useState(false);
  const now = useRef({ chosen, choose, expand });
  now.current = { chosen, choose, expand };

  useEffect(() => {
    if (!box.current) return;
    const style = getComputedStyle(box.current);
    const colour = (name: string) => style.getPropertyValue(name).trim();
    const [ink, panel, edge] = [colour("--ink"), colour("--panel"), colour("--quiet")];
    let made: Sigma;
    try {
      const many = drawing.graph.order > DETAIL;
      made = new Sigma(drawing.graph, box.current, {
        allowInvalidContainer: true, labelColor: { color: ink }, edgeLabelColor: { color: edge }, defaultEdgeColor: edge, labelSize: 12,
        defaultEdgeType: many ? "line" : "arrow", edgeProgramClasses: { arrow: EdgeArrowProgram }, renderEdgeLabels: drawing.graph.size <= 400 && box.current.clientWidth > 600, edgeLabelSize: 9,
        hideEdgesOnMove: many, hideLabelsOnMove: many, labelDensity: 0.6, labelRenderedSizeThreshold: 4, zIndex: true, stagePadding: 60,
        nodeReducer: (id, data) => (id === now.current.chosen ? { ...data, highlighted: true, size: data.size + 3, zIndex: 1 } : data),
        defaultDrawNodeHover: (context, data, settings) => {
          if (!data.label) return;
          context.font = `600 ${settings.labelSize}px ${settings.labelFont}`;
          const width = context.measureText(data.label).width + 14;
          context.fillStyle = panel;
          context.strokeStyle = data.color;
          context.beginPath();
          context.roundRect(data.x + data.size + 2, data.y - 11, width, 22, 6);
          context.fill();
          context.stroke();
          context.fillStyle = ink;
          context.fillText(data.label, data.x + data.size + 9, data.y + 4);
        },
      });
    } catch {
      return setFailed(true);
    }
    sigma.current = made;
    let dragged: string | null = null;
    made.on("clickNode", ({ node }) => now.current.choose(node));
    made.on("doubleClickNode", ({ node, preventSigmaDefault }) => { preventSigmaDefault(); now.current.expand(node); });
    made.on("downNode", ({ node }) => { dragged = node; });
    made.getMouseCaptor().on("mousemovebody", (event) => {
      if (!dragged) return;
      drawing.graph.mergeNodeAttributes(dragged, { ...made.viewportToGraph(event), fixed: true });
      event.preventSigmaDefault();
      event.original.preventDefault();
    });
    made.getMouseCaptor().on("mouseup", () => { dragged = null; });
    return () => {
      made.kill();
      sigma.current = null;
    };
  }, [drawing]);

  useEffect(() => {
    let frame = 0;
    let left = drawing.graph.order > 2000 ? 40 : STEPS;
    const settings = { ...forceAtlas2.inferSettings(drawing.graph), barnesHutOptimize: drawing.graph.order > 300, gravity: 0.6, scalingRatio: 8, slowDown: 4 };
    const step = () => {
      if (left-- <= 0 || drawing.graph.order < 2) return;
      forceAtlas2.assign(drawing.graph, { iterations: 2, settings });
      frame = requestAnimationFrame(step);
    };
    step();
    return () => cancelAnimationFrame(frame);
  }, [drawing, version]);
  useEffect(() => void sigma.current?.refresh({ skipIndexation: true }), [chosen, version]);

  if (failed) return <p class="canvas hint" role="note">This browser has no WebGL: the list beside shows the same nodes.</p>;
  return (
    <>
      <div class="canvas" ref={box} role="img" data-nodes={drawing.graph.order}
        aria-label={`A drawing of ${drawing.graph.order} nodes and ${drawing.graph.size} edges; the list beside it has the same and works by keyboard`} />
      <div class="bar" role="group" aria-label="View">
        <button type="button" onClick={() => void sigma.current?.getCamera().animatedZoom({ duration: 200 })}>Zoom in</button>
        <button type="button" onClick={() => void sigma.current?.getCamera().animatedUnzoom({ duration: 200 })}>Zoom out</button>
        <button type="button" onClick={() => void sigma.current?.getCamera().animatedReset({ duration: 200 })}>All</button>
      </div>
    </>
  );
}
