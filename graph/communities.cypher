// The tables that communities_child.py groups rows in: an engine of its own, in memory, that ends with its process.
CREATE NODE TABLE Row(place INT64 PRIMARY KEY);
CREATE REL TABLE Joined(FROM Row TO Row);
COPY Row FROM $rows;
COPY Joined FROM $joined;
CALL project_graph('whole', ['Row'], ['Joined']);
